package view

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
)

// VerifyDifference is a setting that a device has otherwise than rocec would write it.
type VerifyDifference struct {
	Setting string   `json:"setting"`        // "headroom"
	What    string   `json:"what,omitempty"` // the value, where a port has several: "DSCP 26"
	Pool    string   `json:"pool,omitempty"` // whose setting it is; else it is of ports
	Ports   []string `json:"ports"`          // empty without a pool: every port that the files do not name
	More    int      `json:"more_ports,omitempty"`
	Read    string   `json:"read"`
	Wanted  string   `json:"wanted"`
}

// differencesJSON returns the settings that both sides of a plan know and have differently.
func differencesJSON(d *deploy.DevicePlan) []VerifyDifference {
	out := []VerifyDifference{}
	all, _ := d.Old.Differences(d.New)
	for _, one := range all {
		v := VerifyDifference{Setting: one.Field.String(), What: one.What, Ports: []string{}, More: one.More, Read: one.A, Wanted: one.B}
		for _, name := range one.Ports {
			switch {
			case one.Field == ir.FieldPool:
				v.Pool = name
			case name != "":
				v.Ports = append(v.Ports, name)
			}
		}
		out = append(out, v)
	}
	return out
}
