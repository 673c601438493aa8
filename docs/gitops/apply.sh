#!/bin/sh
# Apply a file as the config of an organization, unless the active config was changed elsewhere.
#
#   apply.sh NEW BEFORE MESSAGE
#
# NEW is the file to apply. BEFORE is its previous version, which the active config still has to
# be. If the organization has no config yet, BEFORE is ignored.
#
#   SLUICE_URL      the address of the console, such as https://sluice.example
#   SLUICE_ORG      the slug of the organization
#   SLUICE_TOKEN    a token with the role owner
#   SLUICE_DIALECT  the config language, if it is not the default
#   SLUICE_ACCEPT   codes of the accepted consequences, separated by commas; an apply with other
#                   consequences is refused, and prints them
#
# Needs curl and jq. Exit status 0: NEW is active. Exit status 1: NEW was not applied, and the
# reason is printed. If there was no response, NEW may have been applied: run the script again; it
# changes nothing twice.
set -eu

new=$1
before=$2
message=$3
base="$SLUICE_URL/api/v1/orgs/$SLUICE_ORG"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# call PATH [CURL OPTIONS]: stores the response in $work/answer and prints the status.
call() {
    path=$1
    shift
    curl --silent --show-error --output "$work/answer" --write-out '%{http_code}' \
        --header "Authorization: Bearer $SLUICE_TOKEN" "$@" "$base/$path"
}

# refuse: prints why the server refused the request, and exits.
refuse() {
    if ! jq --exit-status .detail "$work/answer" >/dev/null 2>&1; then
        echo "$base gave no answer that Sluice gives; look at SLUICE_URL, and try again." >&2
        exit 1
    fi
    jq --raw-output '.detail,
        (.diagnostics // [] | .[] | "  line \(.range.line): \(.code) \(.message)"),
        (.consequences // [] | .[] | "  \(.code): \(.message)")' "$work/answer" >&2
    exit 1
}

case $(call config) in
    200) expected=$(jq .version "$work/answer") ;;
    404) expected=0 ;;
    *) refuse ;;
esac
if [ "$expected" -gt 0 ]; then
    jq --join-output .text "$work/answer" >"$work/active"
    if cmp -s "$new" "$work/active"; then
        echo "Version $expected has this text already."
        exit 0
    fi
    if ! cmp -s "$before" "$work/active"; then
        echo "Version $expected was not made from this repository; bring in what it changed:" >&2
        diff -u "$before" "$work/active" >&2 || true
        exit 1
    fi
fi

jq --null-input --rawfile text "$new" --arg message "$message" --argjson expected "$expected" \
    --arg dialect "${SLUICE_DIALECT:-}" --arg accept "${SLUICE_ACCEPT:-}" \
    '{text: $text, message: $message, expected_version: $expected,
      accept: ($accept | split(",") | map(select(. != "")))}
     + (if $dialect == "" then {} else {dialect: $dialect} end)' >"$work/body"

# The server compares the version, so an apply between the two requests is not overwritten.
case $(call config/versions --header 'Content-Type: application/json' --data-binary "@$work/body") in
    201) echo "Applied as version $(jq .version "$work/answer")." ;;
    *) refuse ;;
esac
