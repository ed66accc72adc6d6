# Sourced by its neighbours: packages from newer Debian suites than the machine's own, unpacked, never installed.
#
# The machine's own mirror is asked through a package list of its own in a throw-away directory, so apt's
# state, the installed packages and the preferences of the machine stay as they are.

# Prepares `newer_apt` (a command as an array) with its lists in the directory $1.
newer_debian_open() {
  local work=$1 mirror suite
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  command -v apt-get >/dev/null && [ -f "$keyring" ] || return 1
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | head -n 1)
  [ -n "$mirror" ] || return 1
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  for suite in trixie-backports trixie forky sid; do
    echo "deb [signed-by=$keyring] $mirror $suite main"
  done >"$work/sources.list"
  newer_apt_options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  apt-get "${newer_apt_options[@]}" update
}

# Prints the versions of package $1, one a line, in the order of the suites above.
newer_debian_versions() {
  local suite
  for suite in trixie-backports trixie forky sid; do
    apt-cache "${newer_apt_options[@]}" madison "$1" 2>/dev/null | awk -v suite="$suite/main" '$6 == suite {print $3}'
  done | awk '!seen[$0]++'
}

# Unpacks package $1 in version $2 into the directory $3.
newer_debian_unpack() {
  local into=$3 downloads
  downloads=$(mktemp -d)
  (cd "$downloads" && apt-get "${newer_apt_options[@]}" download "$1=$2") && dpkg -x "$downloads"/*.deb "$into"
  local status=$?
  rm -rf "$downloads"
  return $status
}
