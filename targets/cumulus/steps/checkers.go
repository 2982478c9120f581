package steps

// Checker is a command with a name that checks the content of a file. It runs with the path of the content as $1.
type Checker struct{ Name, Cmd string }

// Tool is the vendor's syntax checker of traffic.conf, from 4.1 on. The manuals do not state its folder. Other tools of the vendor are
// in the folders of FindTool, which may be missing in the search path of a login or of sudo.
const Tool = "cl-consistency-check"

// FindTool adds the folders of the vendor's tools to the search path.
const FindTool = "PATH=$PATH:/usr/cumulus/bin:/usr/cumulus/sbin\n"

// Sound is the checker's output for a file without mistakes. Its exit status is not documented.
const Sound = "No errors detected"

// Traffic asks the switch's own syntax checker about a file before switchd sees it. The checker is documented from 4.1 on; 4.0 may have
// it. Where it is missing, Traffic does nothing, and the plan has reported that. The checker's exit status is not documented, so its
// success line decides.
var Traffic = Checker{"cumulus check-traffic", FindTool + `command -v ` + Tool + ` >/dev/null || exit 0
said=$(timeout 60 ` + Tool + ` --datapath-syntax-check -t "$1" 2>&1)
status=$?
case $said in
*"` + Sound + `"*) ;;
'') echo "` + Tool + ` says nothing of the new file (exit status $status), so nobody knows whether switchd takes it"; exit 1 ;;
*) printf '%s\n' "$said"; exit 1 ;;
esac`}

// Features and Infra ask the syntax checker about one of the two files from 4.4 on. It checks one file of each kind. If both files change
// in one apply, each new file is checked with the present content of the other one. This is correct, since neither file needs keys of the
// other. rocec ensures that PFC comes with a pool for lossless traffic. switchd runs the checker on both new files when it reloads.
var (
	Features = Checker{"cumulus check-features", pairCheck("-qf", "-qi", InfraPath)}
	Infra    = Checker{"cumulus check-infra", pairCheck("-qi", "-qf", FeaturesPath)}
)

func pairCheck(flag, otherFlag, other string) string {
	ask := `timeout 60 ` + Tool + ` --datapath-syntax-check ` + flag + ` "$1"`
	return FindTool + `command -v ` + Tool + ` >/dev/null || exit 0
if test -f ` + other + `; then
	said=$(` + ask + ` ` + otherFlag + ` ` + other + ` 2>&1)
else
	said=$(` + ask + ` 2>&1)
fi
status=$?
case $said in
*"` + Unsound + `"*) ;;
*"` + Sound + `"*) exit 0 ;;
'') said="` + Tool + ` says nothing of the new file (exit status $status), so nobody knows whether switchd takes it" ;;
esac
printf '%s\n' "$said"
exit 1`
}

// Unsound is the text in the checker's output for a file with mistakes. With two files, one of them may be correct.
const Unsound = "Errors detected"
