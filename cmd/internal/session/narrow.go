package session

import (
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Narrow reduces the fleet to one device of a tree, with its neighbours beside.
func (f *Fleet) Narrow(whole *target.Tree, name string) {
	f.Tree = &target.Tree{}
	for _, d := range whole.Devices {
		if d.Name == name {
			f.Tree.Devices = append(f.Tree.Devices, d)
		}
	}
	f.beside = besides(whole, f.Tree)
}

// Found returns the first device of the fleet as it was read last.
func (f *Fleet) Found() *deploy.Have { return f.found.Devices[0] }
