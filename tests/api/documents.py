"""The three documents of the native reference, as config texts."""

CAP = """\
resource_flavors:
  - name: m5-2xlarge
    selector: [{ key: instance-type, operator: in, values: [m5.2xlarge] }]
resource_queues:
  - name: q-m5-2xlarge-cap3
    preemption: { within_resource_queue: never }
    resource_groups:
      - covered_resources: [cpu, memory_gb]
        flavors:
          - name: m5-2xlarge
            resources:
              - { name: cpu, nominal_quota: 24 }
              - { name: memory_gb, nominal_quota: 96 }
  - name: default
scheduling_rules:
  - selector: [{ key: instance-type, operator: in, values: [m5.2xlarge] }]
    resource_queue: q-m5-2xlarge-cap3
    priority_policy: { default: 50, min: 0, max: 100, on_violation: force_update }
  - resource_queue: default
"""

RESEARCH = """\
resource_flavors:
  - name: gpu_a100_spot
    selector:
      - { key: accelerator-type, operator: in, values: [A100] }
      - { key: market-type, operator: in, values: [SPOT] }
  - name: research_gpu_pool
    selector: [{ key: team, operator: in, values: [research] }]
resource_queues:
  - name: ml_training
    preemption: { within_resource_queue: lower_priority }
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: gpu_a100_spot
            resources: [{ name: gpu, nominal_quota: 64 }, { name: cpu, nominal_quota: 512 }]
          - name: research_gpu_pool
            resources: [{ name: gpu, nominal_quota: 16 }, { name: cpu, nominal_quota: 128 }]
  - name: default
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: ml_training
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
  - resource_queue: default
"""

RESERVATION = """\
resource_flavors:
  - name: a4_reserved
    selector: [{ key: instance-type, operator: in, values: [a4-highgpu-8g] }]
    advanced_instance_config:
      instance_properties:
        reservation_affinity:
          key: compute.googleapis.com/reservation-name
          consume_reservation_type: SPECIFIC_RESERVATION
          values: [my-a4-reservation]
resource_queues:
  - name: reservation
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: a4_reserved, resources: [{ name: gpu, nominal_quota: 80 }] }]
  - name: default
scheduling_rules:
  - selector: [{ key: use-reservation, operator: in, values: ["true"] }]
    resource_queue: reservation
  - resource_queue: default
"""

#: Admits everything without quota.
OPEN = "resource_queues:\n  - name: default\nscheduling_rules:\n  - resource_queue: default\n"
