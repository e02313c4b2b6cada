#!/bin/sh
# Run by the image of Postgres when its folder of data is new.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  -v migrator="$LOGIN_PASSWORD" -v api="$LOGIN_PASSWORD" -v worker="$LOGIN_PASSWORD" \
  -v auditor="$LOGIN_PASSWORD" -v scaler="$LOGIN_PASSWORD" -f /logins.sql
