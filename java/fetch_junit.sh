#!/bin/sh
# Fetches JUnit's console, which is one jar that depends on nothing, into the folder given (default: build/deps).
set -eu
version=1.10.2
dir=${1:-$(dirname "$0")/../build/deps}
jar=junit-platform-console-standalone-$version.jar
mkdir -p "$dir"
[ -f "$dir/$jar" ] && exit 0
exec mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact=org.junit.platform:junit-platform-console-standalone:$version -DoutputDirectory="$dir"
