#!/bin/sh
# Fetches JUnit's console, a single jar without dependencies, into build/deps. The files that Maven itself
# needs for that go to `maven` there, where the test of Maven's projects finds them again.
set -eu
version=1.10.2
dir=$(cd "$(dirname "$0")/.." && pwd)/build/deps
jar=junit-platform-console-standalone-$version.jar
mkdir -p "$dir"
[ -f "$dir/$jar" ] && exit 0
# It runs only for seconds, so the optimising compiler would not pay off.
MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${MAVEN_OPTS:-}" exec mvn -q -B -Dmaven.repo.local="$dir/maven" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact=org.junit.platform:junit-platform-console-standalone:$version -DoutputDirectory="$dir"
