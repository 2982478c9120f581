package session

import (
	"fmt"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// RecallGIDs returns the GID slots that the last verify --gids kept for the devices of the fabric in dir. If it cannot read them, it prints
// the reason and returns nothing.
func RecallGIDs(f *Fleet, dir string) []nic.KeptGID {
	if f.LabDir == LabFresh {
		return nil
	}
	file, err := samplesFile(f, dir)
	if err != nil { // no state folder: nothing is kept
		return nil
	}
	kept, err := samples.LoadGIDs(file)
	if err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the GID indexes of the last verify --gids cannot be used, so no index counts as moved: %s\n",
			diag.Escape(err.Error()))
	}
	return kept
}

// KeepGIDs keeps the GID slots of a read for the next verify --gids, with the older ones of other NICs. Those of a lab without a folder end
// with the command.
func KeepGIDs(f *Fleet, dir string, fabric *ir.Fabric, read, old []nic.KeptGID) {
	if f.LabDir == LabFresh {
		return
	}
	file, err := samplesFile(f, dir)
	if err == nil {
		err = samples.SaveGIDs(file, nic.KeepGIDs(fabric, read, old))
	}
	if err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the GID indexes cannot be kept for the next verify --gids: %s\n", diag.Escape(err.Error()))
	}
}
