package deploy

import "github.com/rocec/rocec/lang/diag"

// RunCommand returns the rocec command that applies a verb to a run. If a device reports an invalid name of a run, the command leaves it
// out.
func RunCommand(verb, run string, words ...diag.Word) string {
	return diag.Rocec(verb, append([]diag.Word{runWord(run)}, words...)...)
}

// UnlockCommand returns the command that removes the lock of a run from devices.
func UnlockCommand(run string, devices ...string) string {
	var words []diag.Word
	if ValidRun(run) {
		words = append(words, diag.Flag("--run", runWord(run)))
	}
	return diag.Rocec("resume --abandon", append(words, diag.Args("DEVICE", devices)...)...)
}

// OnDevice returns the flag that limits a verb to one device.
func OnDevice(name string) diag.Word { return diag.Flag("--target", diag.Arg("DEVICE", name)) }

func runWord(run string) diag.Word {
	if !ValidRun(run) {
		return diag.Kind("RUN")
	}
	return diag.Arg("RUN", run)
}
