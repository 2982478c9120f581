package device

import (
	"fmt"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// A device keeps a hash of what a run does there. Who goes on with the run, or back from it, from a journal tells the device the hash of
// what the journal says, before anything runs.

// ungiven is a device that is left alone because of the journal.
func ungiven(d *target.Device, step, why string, none bool) *deploy.Error {
	return &deploy.Error{Kind: deploy.Journal, Device: d, Step: step, Detail: why, None: none}
}

// fromDevices is how a run is gone on with without its journal.
const fromDevices = "To take the run up from its devices instead, move its journal away and name the fabric with -C DIR."

// notGiven says why the journal of a run is of no use, in the words of the scripts: other, none, hidden.
func notGiven(run, word string) string {
	run = deploy.OneLine(run)
	switch word {
	case "other":
		return fmt.Sprintf("The journal of run %s on this machine is not what the device was given, so nothing was done there. Look at who can "+
			"write the journal. %s", run, fromDevices)
	case "hidden":
		return fmt.Sprintf("Whether the journal of run %s is what the device was given cannot be seen: that takes root there.", run)
	}
	return fmt.Sprintf("The device has no hash of what run %s does there, so the journal on this machine cannot be compared, and nothing was "+
		"done there. An earlier rocec gave none, and a device that was installed anew has none. %s", run, fromDevices)
}

// notToUse says why a journal is of no use for a device without asking it.
func notToUse(why, run string) string {
	// The cause is last: it may end in a command, which a full stop would spoil.
	return fmt.Sprintf("Nothing of the journal of run %s can be used for it. %s Cause: %s", deploy.OneLine(run), fromDevices, why)
}

// Refused is why nothing of the journal of a run is done on a device; nil: it may be of use.
func Refused(d *target.Device, step string) *deploy.Error {
	if d.Given == nil || d.Given.Not == "" {
		return nil
	}
	return ungiven(d, step, notToUse(d.Given.Not, d.Given.Run), false)
}
