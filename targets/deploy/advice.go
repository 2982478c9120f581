package deploy

import "github.com/rocec/rocec/lang/diag"

// RunCommand is the command of a verb of rocec that takes a run. A name that a device reports and that is not the one of a run is not
// in it.
func RunCommand(verb, run string, words ...diag.Word) string {
	return diag.Rocec(verb, append([]diag.Word{runWord(run)}, words...)...)
}

// UnlockCommand is the command that takes the lock of a run away from devices.
func UnlockCommand(run string, devices ...string) string {
	var words []diag.Word
	if ValidRun(run) {
		words = append(words, diag.Flag("--run", runWord(run)))
	}
	return diag.Rocec("resume --abandon", append(words, diag.Args("DEVICE", devices)...)...)
}

// OnDevice is the flag that has a verb act on one device.
func OnDevice(name string) diag.Word { return diag.Flag("--target", diag.Arg("DEVICE", name)) }

func runWord(run string) diag.Word {
	if !ValidRun(run) {
		return diag.Kind("RUN")
	}
	return diag.Arg("RUN", run)
}
