package session

import "github.com/rocec/rocec/targets/target"

// Narrow makes one device of a tree the fleet, with the devices next to it beside.
func (f *Fleet) Narrow(whole *target.Tree, name string) {
	f.Tree = &target.Tree{}
	for _, d := range whole.Devices {
		if d.Name == name {
			f.Tree.Devices = append(f.Tree.Devices, d)
		}
	}
	f.beside = besides(whole, f.Tree)
}
