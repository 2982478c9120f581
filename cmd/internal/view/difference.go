package view

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Difference is a setting that a device has otherwise than rocec would write it.
type Difference struct {
	Setting string   `json:"setting"`        // "headroom"
	What    string   `json:"what,omitempty"` // the value, where a port has several: "DSCP 26"
	Pool    string   `json:"pool,omitempty"` // whose setting it is; else it is of ports
	Ports   []string `json:"ports"`          // empty without a pool: every port that the files do not name
	More    int      `json:"more_ports,omitempty"`
	Read    string   `json:"read"`
	Wanted  string   `json:"wanted"`
}

func differencesJSON(all []*ir.Difference) []Difference {
	out := []Difference{}
	for _, one := range all {
		v := Difference{
			Setting: one.Field.String(), What: target.Escape(one.What), Ports: []string{}, More: one.More,
			Read: target.Escape(one.A), Wanted: target.Escape(one.B),
		}
		for _, name := range one.Ports {
			switch {
			case one.Field == ir.FieldPool:
				v.Pool = target.Escape(name)
			case name != "":
				v.Ports = append(v.Ports, target.Escape(name))
			}
		}
		out = append(out, v)
	}
	return out
}
