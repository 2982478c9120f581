package view

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Difference is a setting of a device that differs from the value that rocec would write.
type Difference struct {
	Setting string   `json:"setting"`        // "headroom"
	What    string   `json:"what,omitempty"` // the key of a value, if a port has several: "DSCP 26"
	Pool    string   `json:"pool,omitempty"` // the pool of the setting; empty: it is a setting of ports
	Ports   []string `json:"ports"`          // empty without a pool: all ports that the files do not name
	More    int      `json:"more_ports,omitempty"`
	Read    string   `json:"read"`
	Wanted  string   `json:"wanted"`
	File    string   `json:"file,omitempty"` // of verify --from: the place of the value in the file
	Line    int      `json:"line,omitempty"`
}

// NotJudged is a file of a device that no rule has judged completely.
type NotJudged struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// differences returns the values of a device that differ from those that rocec would write.
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

// filedReason returns why a device is good according to its files, although it is not as written. sound is the reason if values differ.
func filedReason(f *deploy.Filed, sound string) string {
	rest := f.Rest()
	switch {
	case rest == "":
		return sound
	case len(f.Values) == 0:
		return "no value in the files differs; " + rest
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
