package session

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/claims"
)

// KeepClaims keeps the states of assumptions that verify read at a time from devices of the fabric in dir, for plan. Those of a lab without
// a folder end with the command.
func KeepClaims(f *Fleet, dir string, r *report.Report, is *claims.Result, when time.Time) {
	if f.LabDir == LabFresh || !is.Read {
		return
	}
	old := readClaims(f, dir)
	file, err := samplesFile(f, dir)
	if err != nil { // the samples have no folder either, and verify has printed that
		return
	}
	if err := file.SaveClaims(claimed.Keep(r.Fabric, r.Proofs, is, when.UTC(), old)); err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the states of assumptions cannot be kept for plan: %s\n", diag.Escape(err.Error()))
	}
}

// RecallClaims returns the states of assumptions by what verify kept for the devices of the fabric in dir. It reads no device.
func RecallClaims(f *Fleet, dir string, r *report.Report) *claims.Result {
	return claimed.Recall(r.Fabric, r.Proofs, readClaims(f, dir))
}

// readClaims returns what verify kept. If it cannot read that, it prints the reason and returns nothing.
func readClaims(f *Fleet, dir string) []claims.Recorded {
	if f.LabDir == LabFresh {
		return nil
	}
	file, err := samplesFile(f, dir)
	if err != nil { // no state folder: nothing is kept
		return nil
	}
	kept, err := file.LoadClaims()
	if err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the states of assumptions from the last verify cannot be used, so none counts as checked: %s\n",
			diag.Escape(err.Error()))
	}
	return kept
}
