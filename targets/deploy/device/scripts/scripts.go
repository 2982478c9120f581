// Package scripts has the texts of rocec's own scripts on devices: those of a run, of reads and of records. [Begin] starts a run. It also
// makes the steps that go back ([GoBack]). It imports the standard library alone, so that the gate on a device makes the same texts.
//
// Arguments of scripts are words of a command line, so only [Begin] and its like put values into a text, and those have a strict form.
package scripts

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/commands"
)

// OneByOne runs SCRIPT rocec ARGS when no other such script is running on the device. The folder of the lock contains the marks.
const OneByOne = `umask 022
mkdir -p /run/rocec && exec flock -o -w 30 /run/rocec/flock sh -c "$@"
`

// The scripts. Their comments explain them, and rocec sends them without comments.
var (
	//go:embed trust.sh
	trustText string
	//go:embed lib.sh
	libText string
	//go:embed begin.sh
	beginText string
	//go:embed run.sh
	runText string
	//go:embed undo.sh
	undoText string
	//go:embed call.sh
	callText string
	//go:embed unlock.sh
	unlockText string
	//go:embed sweep.sh
	sweepText string
	//go:embed mark.sh
	markText string
	//go:embed gate.sh
	gateText string
	//go:embed nogate.sh
	takeText string
	//go:embed read.sh
	readText string
	//go:embed held.sh
	heldText string
	//go:embed records.sh
	recordsText string

	beginScript  = sync.OnceValue(func() string { return bare(trustText + libText + beginText) })
	runScript    = sync.OnceValue(func() string { return bare(trustText + libText + runText + undoText) })
	callScript   = sync.OnceValue(func() string { return bare(trustText + libText + callText) })
	unlockScript = sync.OnceValue(func() string { return bare(trustText + libText + unlockText) })
	sweepScript  = sync.OnceValue(func() string { return bare(trustText + libText + sweepText) })
	markScript   = sync.OnceValue(func() string { return bare(trustText + libText + markText) })
	readScript   = sync.OnceValue(func() string { return bare(trustText + readText) })
	heldScript   = sync.OnceValue(func() string { return readScript() + bare(heldText) })
)

// bare removes comment lines.
func bare(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimLeft(line, "\t"), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// of returns a script with the values of a run. It panics if they lack the forms of [commands.ValidRun] and [commands.ValidKey]: the values
// become words of the script.
func of(text, run, key string) string {
	if !commands.ValidRun(run) || !commands.ValidKey(key) {
		panic("scripts: name or key of a run in another form")
	}
	return "T=" + run + "\nK=" + key + "\n" + text
}

// Begin returns the first command of a run on a device, OWNER. It reads the parts of the run from stdin.
func Begin(run, key string) string { return of(beginScript(), run, key) }

// Run returns the script that a device keeps of a run, and that carries it out: VERB WHY.
func Run(run, key string) string { return of(runScript(), run, key) }

// Call returns the script that resumes a run by a verb, VERB WHY [WHO HEAD]. The script fails unless the run on the device has the digest,
// which the caller knows. A text that is no digest counts as an empty one, of an earlier rocec.
func Call(run, key, digest string) string {
	if !ValidDigest(digest) {
		digest = ""
	}
	return "D=" + digest + "\n" + of(callScript(), run, key)
}

// ValidDigest reports whether a text is a hash of the part of a run on a device.
func ValidDigest(text string) bool { return text != commands.Absent && commands.ValidSum(text) }

// Unlock returns the script that removes the lock of a run that is over, HELD WHO.
func Unlock() string { return of(unlockScript(), "unlock", "unlock") }

// Sweep returns the script that removes the leavings of a run without a lock, WHO.
func Sweep(run string) string { return of(sweepScript(), run, "sweep") }

// Mark returns the script that marks a switch for a run, or removes the mark.
func Mark(run, key string) string { return of(markScript(), run, key) }

// PutGate returns the script that puts the gate on a device: SUM SIGNERS USER. Its stdin is the program.
func PutGate() string { return of(bare(trustText+libText+gateText), "gate", "gate") }

// Say returns the script that writes a line into the log of the device: TEXT.
func Say() string { return of(trustText+libText+"say \"$1\"\n", "gate", "gate") }

// TakeGate returns the script that takes it away.
func TakeGate() string { return of(bare(trustText+libText+takeText), "gate", "gate") }

// Read returns the functions of a read.
func Read() string { return readScript() }

// Held returns the functions that print the data of a run, and those of a read.
func Held() string { return heldScript() }

// Records returns the command that prints the records of runs, after the functions of Held.
func Records() string { return bare(recordsText) }

// Sections returns the script that calls functions of Read or Held. Each call is a line of calls, and prints a section that begins and ends
// with the mark. The output is in blocks of stdio. Otherwise every small write would be a packet, which wakes up the server and rocec.
func Sections(functions, mark, calls string) string {
	return functions + "B=" + mark + "\n{\n" + calls + "echo \"$B OK\"\n} | tail -c +1\n"
}
