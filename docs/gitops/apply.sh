#!/bin/sh
# Make a file the active config of an organization, unless it was changed elsewhere since.
#
#   apply.sh NEW BEFORE MESSAGE
#
# NEW is the file to apply, BEFORE the same file as it was before the change: the active
# config has to be that one still. Without a config so far, BEFORE does not matter.
#
#   SLUICE_URL      https://sluice.example
#   SLUICE_ORG      the organization, as it stands in addresses
#   SLUICE_TOKEN    a token of the role owner
#   SLUICE_DIALECT  the config language, when it is not the usual one
#   SLUICE_ACCEPT   codes of the consequences that somebody agreed to, separated by commas;
#                   an apply that has others is refused with the list of them
#
# Needs curl and jq. Exit status 0: NEW is active; 1: it was not applied, and why is printed. Where
# no answer came it may have been: running it again finds out, and changes nothing twice.
set -eu

new=$1
before=$2
message=$3
base="$SLUICE_URL/api/v1/orgs/$SLUICE_ORG"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# call PATH [CURL OPTIONS]: keeps the answer in $work/answer and prints the status.
call() {
    path=$1
    shift
    curl --silent --show-error --output "$work/answer" --write-out '%{http_code}' \
        --header "Authorization: Bearer $SLUICE_TOKEN" "$@" "$base/$path"
}

# refuse: prints what the server says about a request that it does not meet, and ends.
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

# Whoever applies between the two requests is not overwritten: the server compares the version.
case $(call config/versions --header 'Content-Type: application/json' --data-binary "@$work/body") in
    201) echo "Applied as version $(jq .version "$work/answer")." ;;
    *) refuse ;;
esac
