//go:build faults

package session

import (
	"os"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// A binary built with the tag "faults" is for the tests of targets/deploy/internal/matrix, which cannot wait for minutes in each of
// thousands of cells. Environment variables shorten the waits of a change:
//
//	ROCEC_TEST_DEADMAN   until a device undoes a change by itself, instead of two minutes or more
//	ROCEC_TEST_SOAK      how long a device must hold, where no flag says it
//	ROCEC_TEST_STEP      the most that a step may take, and a device may be gone after it
//	ROCEC_TEST_CRASH_AT  see package journal

// hasten shortens the waits in the options of a change.
func hasten(o *rollout.ApplyOptions) {
	if d, ok := fromEnvironment("ROCEC_TEST_DEADMAN"); ok {
		o.DeadMan = d
	}
	if d, ok := fromEnvironment("ROCEC_TEST_SOAK"); ok && o.Soak == nil {
		o.Soak = &d
	}
}

// hastenSteps shortens the waits in the steps of a plan.
func hastenSteps(plan *deploy.Plan) {
	most, ok := fromEnvironment("ROCEC_TEST_STEP")
	if !ok {
		return
	}
	for _, d := range plan.Devices {
		for i := range d.Device.Files {
			s := &d.Device.Files[i].Activate
			s.Timeout, s.Away = most, min(s.Away, most)
		}
		for _, c := range d.Changes { // its step may already be chosen
			s := &c.File.Activate
			s.Timeout, s.Away = most, min(s.Away, most)
		}
	}
}

// fromEnvironment reads a duration from a variable. It panics if the variable is not a duration.
func fromEnvironment(name string) (time.Duration, bool) {
	text, ok := os.LookupEnv(name)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return d, true
}
