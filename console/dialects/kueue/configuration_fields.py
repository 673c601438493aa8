"""The type of every field of Kueue's Configuration, by version."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from console.dialects.kueue.typed_fields import FieldType, ListOf, MapOf, Scalar, Section, Words


class RequeuingTimestamp(StrEnum):
    """The words of ``waitForPodsReady.requeuingStrategy.timestamp``."""

    EVICTION = "Eviction"
    CREATION = "Creation"


class TransformationStrategy(StrEnum):
    """The words of ``resources.transformations[].strategy``."""

    RETAIN = "Retain"
    REPLACE = "Replace"


_TEXT: Final = Scalar.TEXT
_BOOLEAN: Final = Scalar.BOOLEAN
_DURATION: Final = Scalar.DURATION
_SELECTOR: Final = Section(
    "a label selector",
    {
        "matchLabels": MapOf(_TEXT),
        "matchExpressions": ListOf(
            Section(
                "an expression of a label selector",
                {"key": _TEXT, "operator": _TEXT, "values": ListOf()},
                ("key", "operator"),
            )
        ),
    },
)
_REQUEUING: Final = Section(
    "a requeuing strategy",
    {
        "timestamp": Words(RequeuingTimestamp),
        "backoffLimitCount": Scalar.INT32,
        "backoffBaseSeconds": Scalar.INT32,
        "backoffMaxSeconds": Scalar.INT32,
    },
)
_PODS_READY: Final[dict[str, FieldType]] = {
    "timeout": _DURATION,
    "blockAdmission": _BOOLEAN,
    "recoveryTimeout": _DURATION,
    "requeuingStrategy": _REQUEUING,
}
_INTEGRATIONS: Final[dict[str, FieldType]] = {
    "frameworks": ListOf(),
    "externalFrameworks": ListOf(),
    "labelKeysToCopy": ListOf(),
}
#: The fields of ``resources`` other than quotaCheckStrategy, which is used.
RESOURCES: Final[dict[str, FieldType]] = {
    "excludeResourcePrefixes": ListOf(),
    "transformations": ListOf(
        Section(
            "a transformation",
            {
                "input": _TEXT,
                "strategy": Words(TransformationStrategy),
                "multiplyBy": _TEXT,
                "outputs": MapOf(Scalar.QUANTITY),
            },
            ("input",),
        )
    ),
    "deviceClassMappings": ListOf(
        Section(
            "a device class mapping",
            {"name": _TEXT, "deviceClassNames": ListOf(), "sources": Scalar.ANYTHING},
            ("name",),
        )
    ),
}
_COMMON: Final[dict[str, FieldType]] = {
    "namespace": _TEXT,
    "webhook": Section("webhook", {"port": Scalar.INT64, "host": _TEXT, "certDir": _TEXT}),
    "leaderElection": Section(
        "leaderElection",
        {
            "leaderElect": _BOOLEAN,
            "leaseDuration": _DURATION,
            "renewDeadline": _DURATION,
            "retryPeriod": _DURATION,
            "resourceLock": _TEXT,
            "resourceName": _TEXT,
            "resourceNamespace": _TEXT,
        },
    ),
    "metrics": Section(
        "metrics",
        {
            "bindAddress": _TEXT,
            "enableClusterQueueResources": _BOOLEAN,
            "customLabels": ListOf(
                Section(
                    "a custom label",
                    {"name": _TEXT, "sourceLabelKey": _TEXT, "sourceAnnotationKey": _TEXT},
                    ("name",),
                )
            ),
            "localQueueMetrics": Scalar.ANYTHING,
        },
    ),
    "health": Section(
        "health",
        {
            "healthProbeBindAddress": _TEXT,
            "readinessEndpointName": _TEXT,
            "livenessEndpointName": _TEXT,
        },
    ),
    "pprofBindAddress": _TEXT,
    "controller": Section(
        "controller",
        {"groupKindConcurrency": MapOf(Scalar.INT64), "cacheSyncTimeout": Scalar.INT64},
    ),
    "tls": Section("tls", {"minVersion": _TEXT, "cipherSuites": ListOf()}),
    "manageJobsWithoutQueueName": _BOOLEAN,
    "managedJobsNamespaceSelector": _SELECTOR,
    "internalCertManagement": Section(
        "internalCertManagement",
        {"enable": _BOOLEAN, "webhookServiceName": _TEXT, "webhookSecretName": _TEXT},
    ),
    "clientConnection": Section("clientConnection", {"qps": Scalar.DECIMAL, "burst": Scalar.INT32}),
    "multiKueue": Section(
        "multiKueue",
        {
            "gcInterval": _DURATION,
            "origin": _TEXT,
            "workerLostTimeout": _DURATION,
            "dispatcherName": _TEXT,
            "externalFrameworks": ListOf(
                Section("an external framework", {"name": _TEXT}, ("name",))
            ),
            "clusterProfile": Section(
                "clusterProfile",
                {
                    "credentialsProviders": ListOf(
                        Section(
                            "a credentials provider",
                            {"name": _TEXT, "execConfig": Scalar.ANYTHING},
                            ("name",),
                        )
                    )
                },
            ),
            "objectRetentionPolicies": Scalar.ANYTHING,
        },
    ),
    "objectRetentionPolicies": Section(
        "objectRetentionPolicies",
        {
            "workloads": Section(
                "workloads",
                {"afterFinished": _DURATION, "afterDeactivatedByKueue": _DURATION},
            )
        },
    ),
    "visibility": Scalar.ANYTHING,
    "admissionFairSharing": Section(
        "admissionFairSharing",
        {
            "usageHalfLifeTime": _DURATION,
            "usageSamplingInterval": _DURATION,
            "resourceWeights": MapOf(Scalar.DECIMAL),
        },
    ),
    "featureGates": MapOf(_BOOLEAN),
}
#: By version: the fields other than fairSharing and resources, which are used.
SETTINGS: Final[dict[str, dict[str, FieldType]]] = {
    "v1beta1": {
        **_COMMON,
        "waitForPodsReady": Section("waitForPodsReady", {"enable": _BOOLEAN, **_PODS_READY}),
        "integrations": Section(
            "integrations",
            {
                **_INTEGRATIONS,
                "podOptions": Section(
                    "podOptions", {"namespaceSelector": _SELECTOR, "podSelector": _SELECTOR}
                ),
            },
        ),
        "queueVisibility": Section(
            "queueVisibility",
            {
                "clusterQueues": Section("clusterQueues", {"maxCount": Scalar.INT32}),
                "updateIntervalSeconds": Scalar.INT32,
            },
        ),
        # For releases whose Configuration embedded that of controller-runtime.
        "cacheNamespace": _TEXT,
        "gracefulShutDown": Scalar.ANYTHING,
        "syncPeriod": Scalar.ANYTHING,
    },
    "v1beta2": {
        **_COMMON,
        "waitForPodsReady": Section("waitForPodsReady", _PODS_READY),
        "integrations": Section("integrations", _INTEGRATIONS),
    },
}
