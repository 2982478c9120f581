package nic

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
)

// Against returns the reason why a NIC with a parameter would not do the work of the fabric, as part of a sentence; empty: it does. all has
// the parameter and its neighbours.
type Against func(s *Settings, all []ir.SetParameter, p *ir.SetParameter) string

// JudgeParameters reports parameters of a NIC with an intent that contradict the fabric, and parameters of congestion control that never
// have an effect. A nil against states that no parameter of the driver can contradict the fabric.
func JudgeParameters(ds *diag.List, n *ir.NIC, against Against) {
	intents := n.Carries()
	if n.Parameters == nil || len(intents) == 0 {
		return
	}
	s := (*Family)(nil).Lower(n)
	for _, all := range [][]ir.SetParameter{n.Parameters.DCQCN, n.Parameters.NVRAM} {
		for i := range all {
			if against == nil {
				break
			}
			if why := against(s, all, &all[i]); why != "" {
				parameterTopic.Errorf(ds, all[i].At, "The nic %s of the host group %s states %s = %s, and %s.", n.Name, n.Device.Group, all[i].Name,
					all[i].Text(all[i].Value), why)
			}
		}
	}
	marked := func(in *ir.Intent) bool { return in.Group.ECN != nil }
	if all := n.Parameters.DCQCN; len(all) > 0 && !slices.ContainsFunc(intents, marked) {
		parameterTopic.Warnf(ds, all[0].At, "The nic %s of the host group %s states parameters of DCQCN, and no cos group of its intents has an "+
			"ecn block: switches never mark its packets, so the parameters have no effect. Write ecn {} in the cos group, or delete dcqcn.",
			n.Name, n.Device.Group)
	}
}

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
