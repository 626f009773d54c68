#!/usr/bin/env bash
# Lints the contracts of all releases, and those of our own services. Needs npx (Node.js 18 or later) and, the first
# time, the npm registry. Fails on any finding, warnings included.
set -euo pipefail
cd "$(dirname "$0")"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
exec npx --yes @redocly/cli@2.54.3 lint --config redocly.yaml v12/openapi.yaml v13/openapi.yaml \
  ../../aiquery/httpapi/openapi.yaml ../../generator/httpapi/openapi.yaml
