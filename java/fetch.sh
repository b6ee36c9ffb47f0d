#!/bin/sh
# fetch.sh group:artifact:version [folder]: fetches one jar, without those it depends on, from Maven Central into build/deps, or a folder there. The files that Maven itself
# needs for that go to `maven` there, where the test of Maven's projects finds them again.
set -eu
artifact=$1
dir=$(cd "$(dirname "$0")/.." && pwd)/build/deps
jar=$(echo "$artifact" | cut -d: -f2)-${artifact##*:}.jar
target=$dir/${2:-}
mkdir -p "$target"
[ -f "$target/$jar" ] && exit 0
# It runs only for seconds, so the optimising compiler would not pay off.
MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${MAVEN_OPTS:-}" exec mvn -q -B -Dmaven.repo.local="$dir/maven" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$target"
