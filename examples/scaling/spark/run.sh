#!/usr/bin/env bash
# ./run.sh [MASTER…]: builds the project, if it is not built, and runs it. Needs org.pycuda:pycuda in the local repository (./dev maven).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[[ $# -gt 0 ]] || set -- 'local-cluster[1,1,1024]' 'local-cluster[2,1,1024]' 'local-cluster[4,1,1024]'
version=$(sed -n 's/^project(pycuda VERSION \([0-9.]*\).*/\1/p' ../../../CMakeLists.txt)
[[ -d target/jars ]] || mvn -q -B -Dpycuda.version="$version" package
opened=''
for package in lang lang.invoke lang.reflect io net nio util util.concurrent util.concurrent.atomic; do
    opened+=" --add-opens=java.base/java.$package=ALL-UNNAMED"
done
for package in nio.ch nio.cs security.action util.calendar; do opened+=" --add-opens=java.base/sun.$package=ALL-UNNAMED"; done
# The executors of local-cluster look for their jars in SPARK_HOME/jars, and write their logs to SPARK_HOME/work.
# shellcheck disable=SC2086
SPARK_HOME=$PWD/target SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1 java $opened -cp 'target/jars/*' scaling.OptionPrices "$@"
