#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints metrics_expected.txt: what test_metrics observes, counted by Prometheus's own Python client
(Debian's python3-prometheus-client). Only the spelling of values is ours: counts without a
fraction, milliseconds with six digits."""
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

MS_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000]
SIZE_BOUNDS = [4 ** n for n in range(2, 15)]
ODD = 'a"b\\c\nd'

registry = CollectorRegistry()
operations = Counter("cache_operations_total", "Cache operations",
                     ["operation", "namespace", "success", "serializer"], registry=registry)
durations = Histogram("cache_operation_duration_ms", "Duration of cache operations in milliseconds",
                      ["operation", "namespace", "serializer"], buckets=MS_BOUNDS, registry=registry)
sizes = Histogram("cache_operation_size_bytes", "Stored bytes of cache operations",
                  ["operation", "namespace", "serializer"], buckets=SIZE_BOUNDS, registry=registry)
breakers = Gauge("circuit_breaker_state", "Live circuit breakers by state", ["namespace", "state"],
                 registry=registry)
shed = Counter("redis_cache_operations_total", "Calls shed before the backend",
               ["operation", "status", "serializer", "namespace"], registry=registry)
failures = Counter("cachekit_decrypt_failures_total", "Sealed bytes that did not open",
                   ["reason", "tier"], registry=registry)
drift = Counter("cachekit_config_drift_reads_total", "Reads that met bytes of another configuration",
                ["reason"], registry=registry)


def done(operation, namespace, serializer, success, ms, size):
    operations.labels(operation, namespace, str(success), serializer).inc()
    if ms > 0:
        durations.labels(operation, namespace, serializer).observe(ms)
    if size > 0:
        sizes.labels(operation, namespace, serializer).observe(size)


done("get", ODD, "unknown", True, 0, 0)
for _ in range(1000):
    done("get", "users", "l1_memory", True, 0.001, 0)
for ns, size in [(250000, 16), (10000, 17), (10001, 1090), (1000000000, 268435456),
                 (1000000001, 268435457)]:
    done("get", "users", "rust", True, ns / 1e6, size)
done("set", "users", "rust", False, 0, 0)
done("delete", "users", "rust", True, 2.5, 0)
for state, count in [("CLOSED", 1), ("OPEN", 1), ("HALF_OPEN", 0)]:
    breakers.labels("users", state).set(count)
shed.labels("backpressure", "rejected", "", "").inc(3)
for reason in ["auth_tamper", "suspicious_envelope", "corruption"]:
    for tier in ["l1", "l2"]:
        failures.labels(reason, tier)
failures.labels("auth_tamper", "l2").inc(2)
failures.labels("corruption", "l1").inc()
drift.labels("encryption_disabled").inc(4)


def escaped(value):
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


for metric in registry.collect():
    name = metric.name + ("_total" if metric.type == "counter" else "")
    print(f"# HELP {name} {metric.documentation}\n# TYPE {name} {metric.type}")
    for sample in metric.samples:
        if sample.name.endswith("_created"):
            continue
        labels = ",".join(f'{k}="{escaped(v)}"' for k, v in sample.labels.items())
        is_ms = sample.name == "cache_operation_duration_ms_sum"
        value = f"{sample.value:.6f}" if is_ms else str(int(sample.value))
        print(f"{sample.name}{{{labels}}} {value}")
