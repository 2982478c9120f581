package device

import (
	"fmt"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// A device keeps a hash of the part of a run that it received. To resume or undo the run from a journal, rocec first sends the device the
// hash of that part in the journal.

// ungiven returns the error for a device that rocec does not change because of the journal.
func ungiven(d *target.Device, step, why string, none bool) *deploy.Error {
	return &deploy.Error{Kind: deploy.Journal, Device: d, Step: step, Detail: why, None: none}
}

// fromDevices is the advice to resume a run without its journal.
const fromDevices = "To take the run up from its devices instead, move its journal away and name the fabric with -C DIR."

// notGiven returns the error that the journal of a run cannot be used. word is a word of the scripts: other, none or hidden.
func notGiven(run, word string) string {
	run = deploy.OneLine(run)
	switch word {
	case "other":
		return fmt.Sprintf("The journal of run %s on this machine is not the one that the device received, so nothing was done there. "+
			"Check who can write the journal. %s", run, fromDevices)
	case "hidden":
		return fmt.Sprintf("The journal of run %s cannot be compared with the one that the device received: that needs root there.", run)
	}
	return fmt.Sprintf("The device has no hash of run %s, so the journal on this machine cannot be compared, and nothing was "+
		"done there. An earlier rocec sent no hash, and a reinstalled device has lost it. %s", run, fromDevices)
}

// notToUse returns the error that a journal cannot be used for a device. It does not ask the device.
func notToUse(why, run string) string {
	// The cause is last, because it may end in a command, to which no full stop may be added.
	return fmt.Sprintf("Nothing of the journal of run %s can be used for it. %s Cause: %s", deploy.OneLine(run), fromDevices, why)
}

// Refused returns why rocec may not use the journal of a run on a device. It returns nil if rocec may use the journal.
func Refused(d *target.Device, step string) *deploy.Error {
	if d.Given == nil || d.Given.Not == "" {
		return nil
	}
	return ungiven(d, step, notToUse(d.Given.Not, d.Given.Run), false)
}
