package view

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
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
	File    string   `json:"file,omitempty"` // of verify --from: the place of the value that was read
	Line    int      `json:"line,omitempty"`
}

// NotJudged is a file of a device that no rule has judged wholly.
type NotJudged struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// differences are the values of a device that are not as rocec would write them.
func differences(d *deploy.DevicePlan) []Difference {
	if d.Filed == nil {
		all, _ := d.Old.Differences(d.New)
		return differencesJSON(all)
	}
	var all []*ir.Difference
	for _, v := range d.Filed.Values {
		all = append(all, v.Difference)
	}
	out := differencesJSON(all)
	for i, v := range d.Filed.Values {
		out[i].File, out[i].Line = diag.Escape(v.At.Filename), v.At.Start.Line
	}
	return out
}

// filedReason returns the reason for which a device is good by its files and not as written; sound is the reason where values differ.
func filedReason(f *deploy.Filed, sound string) string {
	rest := f.Rest()
	switch {
	case rest == "":
		return sound
	case len(f.Values) == 0:
		return "no value differs that the files state; " + rest
	}
	return sound + "; " + rest
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
