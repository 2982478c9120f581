package nic

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
)

// ParameterRows returns the keys of the parameters in the table of a driver. A value file has only those that the fabric states.
func ParameterRows(table *ir.NICTable) []Row {
	var out []Row
	if table.Stall != nil {
		out = append(out, parameterRow(steps.StallKey, "time after which a stuck NIC sends no more pauses", WhoSets,
			func(p *ir.NICParameters) *ir.SetParameter { return p.Stall }, table.Stall.Text))
	}
	for _, p := range table.DCQCN {
		if p.By == "" {
			out = append(out, parameterRow(steps.DCQCNKey+p.Name, "parameters of DCQCN", Congestion,
				func(all *ir.NICParameters) *ir.SetParameter { return ir.Find(all.DCQCN, p.Name) }, strconv.Itoa))
		}
	}
	for _, p := range table.NVRAM {
		if p.By != "" {
			continue
		}
		r := parameterRow(steps.StoredKey+p.Name, "parameters that the card stores; compared, and set by a plan that resets the card", NoPort,
			func(all *ir.NICParameters) *ir.SetParameter { return ir.Find(all.NVRAM, p.Name) }, strconv.Itoa)
		r.Host = true
		out = append(out, r)
	}
	return out
}

// parameterRow returns the row of a parameter that a person states.
func parameterRow(key, comment, aside string, find func(*ir.NICParameters) *ir.SetParameter, text func(int) string) Row {
	of := func(s *Settings) *ir.SetParameter {
		if s.NIC.Parameters == nil {
			return nil
		}
		return find(s.NIC.Parameters)
	}
	return Row{
		Key: key, Comment: comment, Lone: true, Aside: aside, Class: Always(Wish),
		Value: func(b []byte, s *Settings) []byte {
			if p := of(s); p != nil {
				return append(b, text(p.Value)...)
			}
			return b
		},
		Why: func(s *Settings) []ir.Origin {
			return []ir.Origin{{At: of(s).At, Why: key + " of the nic"}}
		},
	}
}
