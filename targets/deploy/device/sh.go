package device

import (
	_ "embed"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

// command returns the command line of a script with arguments for the login shell. It contains only plain words and quoted text, so the
// login shell need not be a POSIX shell.
func command(script string, args ...string) string {
	words := []string{"sh", "-c", scripts.Quote(script), "rocec"}
	for _, a := range args {
		words = append(words, scripts.Quote(a))
	}
	return strings.Join(words, " ")
}

const (
	// becomeRoot runs SCRIPT rocec ARGS as root, by sudo if the login user is not root.
	becomeRoot = `if [ "$(id -u)" = 0 ]; then exec sh -c "$@"; fi; exec sudo -n sh -c "$@"`

	// becomeReader runs a script as root if sudo needs no password. Otherwise the script runs as the login user, who can read most of the
	// files.
	becomeReader = `if [ "$(id -u)" = 0 ]; then exec sh -c "$@"; fi
if sudo -n true 2>/dev/null; then exec sudo -n sh -c "$@"; fi
exec sh -c "$@"`

	// verbAndRead has three arguments: a script, a read and a verb. It runs the script with the verb, and then the read. If the argument
	// of the read is empty, the read comes on stdin.
	verbAndRead = `q=${2:-$(cat)}
sh -c "$1" rocec "$3" asked </dev/null || exit
eval "$q"
`
)

// calling returns the script that resumes a run by a verb. The script fails unless the run on the device has the digest of the change; nil:
// the digest is not known.
func calling(run deploy.Run, c *Change) string {
	digest := ""
	if c != nil {
		digest = c.plan.Digest
	}
	return scripts.Call(run.Name, run.Key, digest)
}

// BootUnit is the systemd unit that undoes a run when a device comes up before the run was confirmed.
func BootUnit(run deploy.Run) string {
	return "/etc/systemd/system/rocec-undo-" + run.Name + ".service"
}
