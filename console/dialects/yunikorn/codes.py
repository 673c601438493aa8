"""The diagnostic codes of the YuniKorn dialect."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

DUPLICATE_PARTITION = Code(
    "YUN001",
    Severity.ERROR,
    "Duplicate partition",
    "Names of partitions must differ in more than upper and lower case; a partition without a name "
    "is called default. Rename or remove one of the two.",
)
NO_QUEUES = Code(
    "YUN002",
    Severity.ERROR,
    "Partition without queues",
    "A partition has the field queues; an empty list is enough, and gives a partition with the "
    "root only.",
)
ROOT_RESOURCES = Code(
    "YUN003",
    Severity.ERROR,
    "Resources of the root",
    "The root may use everything that the nodes of the partition offer. Remove resources, or "
    "state them for the queues below.",
)
ROOT_SPELLING = Code(
    "YUN004",
    Severity.ERROR,
    "Root in other letters",
    "YuniKorn accepts Root and ROOT in its check, and cannot start with them. Write root.",
)
QUEUE_NAME = Code(
    "YUN005",
    Severity.ERROR,
    "Not a name of a queue",
    "The name of a queue has 1 to 64 letters, digits and the characters - _ # @ / : , and no dot, "
    "because dots separate the names in a path.",
)
DUPLICATE_QUEUE = Code(
    "YUN006",
    Severity.ERROR,
    "Duplicate queue",
    "Names of the queues below one queue must differ in more than upper and lower case. Rename or "
    "remove one of the two.",
)
QUANTITY = Code(
    "YUN007",
    Severity.ERROR,
    "Not a quantity",
    "A quantity is a whole number, 0 or more, with or without a suffix: k M G T P E for powers of "
    "1000, Ki Mi Gi Ti Pi Ei for powers of 1024, and m for thousandths of a vcore.",
)
QUANTITY_SUFFIX = Code(
    "YUN008",
    Severity.ERROR,
    "Suffix that the quantity cannot have",
    "Suffixes are k M G T P E and Ki Mi Gi Ti Pi Ei in exactly these letters; m is for vcore only.",
)
QUANTITY_RANGE = Code(
    "YUN009",
    Severity.ERROR,
    "Quantity too large",
    "Quantities are 64-bit numbers: at most 9223372036854775807, and 9223372036854775 for vcore, "
    "which is counted in thousandths.",
)
GUARANTEE_OVER_MAX = Code(
    "YUN010",
    Severity.ERROR,
    "Guarantee above the maximum",
    "The maximum of a queue includes its guarantee. Raise the maximum, or lower the guarantee.",
)
MAX_OVER_PARENT = Code(
    "YUN011",
    Severity.ERROR,
    "Maximum larger than that of a queue above",
    "A queue cannot use more than a queue above it, however far above. Lower the maximum, or "
    "raise the one above.",
)
GUARANTEES_OVER_PARENT = Code(
    "YUN012",
    Severity.ERROR,
    "Guarantees larger than that of the parent",
    "The guarantees of the queues below a queue must fit into its own guarantee, for each "
    "resource that it guarantees.",
)
GUARANTEES_OVER_MAX = Code(
    "YUN013",
    Severity.ERROR,
    "Guarantees above the maximum",
    "The guarantees of the queues below a queue must fit into the lowest maximum of the queue and "
    "of those above it.",
)
LIMITS_DIFFER = Code(
    "YUN014",
    Severity.ERROR,
    "Limits of the partition and of the root",
    "Limits of a partition apply to its root. State them in one of the two places.",
)
LIMIT_WITHOUT_HOLDERS = Code(
    "YUN015",
    Severity.ERROR,
    "Limit without users and groups",
    "A limit names users, groups or both; * stands for every other one.",
)
LIMIT_NAME = Code(
    "YUN016",
    Severity.ERROR,
    "Not a name of a user or group",
    "Names in limits begin with a letter or _, and have letters, digits and some of the "
    "characters : # / _ . @ - after it.",
)
LIMIT_REPEATED = Code(
    "YUN017",
    Severity.ERROR,
    "Two limits for one name",
    "A queue has at most one limit for each user and each group. Remove the name from one of the "
    "limits.",
)
LIMIT_AFTER_WILDCARD = Code(
    "YUN018",
    Severity.ERROR,
    "Name after the wildcard",
    "The limit for * is the last one of a queue for users, and the last one for groups. Move it "
    "behind the others.",
)
ONLY_WILDCARD_GROUP = Code(
    "YUN019",
    Severity.ERROR,
    "Wildcard group alone",
    "A limit for the group * needs a limit for a named group in the same queue before it or in "
    "the same list.",
)
LIMIT_OF_ZERO = Code(
    "YUN020",
    Severity.ERROR,
    "Limit of resources that are all 0",
    "maxresources of a limit has at least one quantity above 0. Remove maxresources if only the "
    "number of applications is limited.",
)
LIMIT_OF_NOTHING = Code(
    "YUN021",
    Severity.ERROR,
    "Limit that limits nothing",
    "A limit states maxresources, maxapplications or both.",
)
LIMIT_OVER_QUEUE = Code(
    "YUN022",
    Severity.ERROR,
    "Limit above that of its queue",
    "A user or group cannot use more than the queue. Lower the limit, or raise the maximum of the "
    "queue.",
)
LIMIT_OVER_ABOVE = Code(
    "YUN023",
    Severity.ERROR,
    "Limit above that of a queue above",
    "A limit cannot allow more than the limit for the same name, or for *, in a queue above. A "
    "limit without maxapplications allows any number of applications; if the limit above has "
    "maxapplications, it must state a number too.",
)
ACL_SPACES = Code(
    "YUN024",
    Severity.ERROR,
    "Access list with several spaces",
    "An access list is users, one space, groups; names are separated by commas without spaces. "
    "YuniKorn's check accepts some other forms that it cannot start with.",
)
RULE_NAME = Code(
    "YUN025",
    Severity.ERROR,
    "Not a placement rule",
    "The placement rules are provided, user, fixed and tag.",
)
FILTER_TYPE = Code(
    "YUN026",
    Severity.ERROR,
    "Unknown type of a filter",
    "The type of a filter is allow or deny; without one, it is allow.",
)
FILTER_NAMES = Code(
    "YUN027",
    Severity.ERROR,
    "Neither names nor a regular expression",
    "A filter has names, or one regular expression. A single * is neither: leave the list out, or "
    "write .* instead.",
)
LARGE_EXPRESSION = Code(
    "YUN028",
    Severity.ERROR,
    "Regular expression that needs too much memory",
    "Repetitions with large numbers are written out, and an expression has at most 10,000 "
    "characters. YuniKorn accepts the expression. Write .* instead of .{1,1000}, or a list of "
    "names.",
)
RULE_VALUE = Code(
    "YUN029",
    Severity.ERROR,
    "Rule without a value",
    "A fixed rule has the name of a queue as its value, and a tag rule the name of a tag.",
)
QUALIFIED_BELOW_PARENT = Code(
    "YUN030",
    Severity.ERROR,
    "Full path below a parent rule",
    "A fixed value that begins with root is a full path, which no parent rule can precede. Write "
    "the name relative to the parent, or remove the parent rule.",
)
RULE_PATH = Code(
    "YUN031",
    Severity.ERROR,
    "Rule for a queue that does not exist",
    "A fixed path that the config does not have needs create: true in the rule itself, not in a "
    "parent rule, and its last known queue must be a parent.",
)
RULE_NOT_LEAF = Code(
    "YUN032",
    Severity.ERROR,
    "Rule for a queue of the wrong kind",
    "A fixed path ends at a leaf, or, if it is the parent of another rule, at a parent. YuniKorn "
    "takes a queue for a parent only with parent: true in the text.",
)
NODE_ORDER_TYPE = Code(
    "YUN033",
    Severity.ERROR,
    "Unknown node sort policy",
    "nodesortpolicy has the type fair or binpacking in lower case.",
)
BAD_WEIGHT = Code(
    "YUN034",
    Severity.ERROR,
    "Not a weight",
    "The weight of a resource is a finite number, 0 or more. YuniKorn refuses negative weights "
    "only, and accepts .inf and .nan.",
)
APPLICATIONS_OVER_PARENT = Code(
    "YUN035",
    Severity.ERROR,
    "More applications than the parent",
    "maxapplications of a queue is at most that of the queue above.",
)
APPLICATIONS_MISSING = Code(
    "YUN036",
    Severity.ERROR,
    "Number of applications missing below a limited queue",
    "If a queue has maxapplications, every queue below it has one too, above 0. Repeat the number "
    "of the queue above for no further limit.",
)
UNKNOWN_SWITCH = Code(
    "YUN037",
    Severity.ERROR,
    "Unknown name in x-compatibility",
    "x-compatibility is yunikorn for all differences from YuniKorn, or a list of their names. The "
    "reference lists them.",
)
CONFIG_MISSING = Code(
    "YUN038",
    Severity.ERROR,
    "No queues.yaml",
    "A ConfigMap of YuniKorn has the config as a text under the key queues.yaml of data.",
)
REPEATED_CONFIG = Code(
    "YUN039",
    Severity.ERROR,
    "ConfigMap repeated",
    "There is one ConfigMap yunikorn-defaults and one yunikorn-configs. Remove the other one.",
)
NODE_ORDER_TEXT = Code(
    "YUN050",
    Severity.WARNING,
    "Node sort policy as a single text",
    "nodesortpolicy is a mapping with the field type. YuniKorn refuses the short form, which its "
    "documentation has; here it has effect.",
)
REMOVED_KEY = Code(
    "YUN051",
    Severity.WARNING,
    "Field of earlier versions",
    "YuniKorn had the field until 1.4, and refuses it since 1.5. Remove it.",
)
ZERO_MAX = Code(
    "YUN052",
    Severity.WARNING,
    "Maximum of 0",
    "A maximum with zeros only blocks these resources here. In YuniKorn it is no maximum at all; "
    "the switch zero_is_unlimited gives this behavior.",
)
HIDDEN_GUARANTEE = Code(
    "YUN053",
    Severity.WARNING,
    "Guarantee that YuniKorn does not add up",
    "If a queue guarantees some resources, YuniKorn does not add up what the queues below it "
    "guarantee of other resources, so that the sum can exceed what the queues above guarantee or "
    "may use. State the guarantee in that queue too.",
)
PARENT_IGNORED = Code(
    "YUN054",
    Severity.WARNING,
    "parent: false without effect",
    "A queue with queues below it is always a parent.",
)
TEMPLATE_ON_LEAF = Code(
    "YUN055",
    Severity.WARNING,
    "Child template without effect",
    "A template applies to queues that rules create below the queue, and nothing is created below "
    "a leaf. Write parent: true, or remove the template.",
)
PROPERTY_VALUE = Code(
    "YUN056",
    Severity.WARNING,
    "Value that the property cannot have",
    "YuniKorn uses the default instead, without a message. Correct the value.",
)
UNKNOWN_PROPERTY = Code(
    "YUN057",
    Severity.INFO,
    "Unknown property",
    "The property has no effect, in YuniKorn and here.",
)
OLD_UNITS = Code(
    "YUN058",
    Severity.WARNING,
    "Units of YuniKorn 0.12",
    "Until 0.12, vcore was in thousandths and memory in MB of 1,000,000 bytes. Since 1.0, they "
    "are in cores and bytes: vcore: 1000 is 1000 cores, and memory: 1000 is 1000 bytes. State the "
    "unit: 1000m, 1000M.",
)
ACL_NAME = Code(
    "YUN059",
    Severity.WARNING,
    "Name that no user or group can have",
    "YuniKorn ignores the name: users and groups begin with a letter or _, and have letters, "
    "digits, _ and - after it; users also . and @.",
)
FILTER_CASE = Code(
    "YUN060",
    Severity.WARNING,
    "Filter type in upper case",
    "YuniKorn accepts Deny and then treats it as allow; here it is deny. Write deny.",
)
FILTER_IGNORED = Code(
    "YUN061",
    Severity.WARNING,
    "Name without effect in a filter",
    "In a list of several, names that are no valid names are left out.",
)
RULE_NEVER_MATCHES = Code(
    "YUN062",
    Severity.WARNING,
    "Rule that never finds a queue",
    "A fixed path that ends at a queue with others below it matches no application. Name one of "
    "the queues below.",
)
RULE_PATH_TEXT = Code(
    "YUN063",
    Severity.WARNING,
    "Path that YuniKorn refuses",
    "YuniKorn's check of fixed paths compares upper and lower case, and takes only queues with "
    "parent: true in the text for parents. It takes a value that begins with root, such as "
    "rootless, for a full path. Here none of it matters; the switch textual_rule_paths gives "
    "YuniKorn's check.",
)
DOLLAR_NAME = Code(
    "YUN064",
    Severity.WARNING,
    "Name that is an expression",
    "A single name with $ at its end is a regular expression: bob$ matches every name that ends "
    "with bob.",
)
SETTING_VALUE = Code(
    "YUN065",
    Severity.WARNING,
    "Value that the service setting cannot have",
    "The setting keeps its default.",
)
SETTING_UNKNOWN = Code(
    "YUN066",
    Severity.INFO,
    "Service setting that is not read",
    "The setting does not affect when applications run. It may stay.",
)
NOT_READ = Code(
    "YUN067",
    Severity.INFO,
    "Object that is not read",
    "The object does not affect when applications run. It may stay.",
)
NESTED_ROOT = Code(
    "YUN068",
    Severity.WARNING,
    "Queue below the root that is called root",
    "YuniKorn ignores the resources of every queue that is called root. Here they have effect. "
    "Rename the queue.",
)
SECOND_CONFIG = Code(
    "YUN069",
    Severity.WARNING,
    "Second document",
    "YuniKorn reads the first document of a file only. Remove the others.",
)
LIKELY_NAME = Code(
    "YUN070",
    Severity.WARNING,
    "Resource that is probably misspelled",
    "Every name is a resource of its own; the resource of CPUs is vcore, in cores.",
)
SWITCHES_IN_FILE = Code(
    "YUN071",
    Severity.WARNING,
    "Switches that YuniKorn refuses",
    "YuniKorn does not know x-compatibility and refuses the ConfigMap. Write the names under the "
    "key sluice.compatibility of data, which it does not read.",
)

YUNIKORN_CODES = declared(globals())
