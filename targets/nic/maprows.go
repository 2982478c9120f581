package nic

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// CNPRows are the keys about the marks of congestion notification packets.
var CNPRows = []Row{
	{
		Key: "cnp_dscp", Aside: Congestion, Comment: "marking of the congestion notification packets the NIC sends",
		Value: func(b []byte, s *Settings) []byte {
			if s.CNP == nil || len(s.CNP.DSCP) == 0 {
				return b
			}
			return strconv.AppendInt(b, int64(s.CNP.DSCP[0].Value), 10)
		},
		Why: func(s *Settings) []ir.Origin {
			return []ir.Origin{{At: s.CNP.DSCP[0].At, Why: "cos group " + s.CNP.Name}}
		},
		Class: ifMarked, Lack: lackCNP,
	},
	{
		Key: "cnp_prio", Aside: Congestion,
		Value: func(b []byte, s *Settings) []byte {
			if s.CNP == nil {
				return b
			}
			return strconv.AppendInt(b, int64(s.CNP.Cos), 10)
		},
		Why: func(s *Settings) []ir.Origin {
			return []ir.Origin{{At: s.CNP.CosAt, Why: "cos group " + s.CNP.Name}}
		},
		Class: ifMarked, Lack: lackCNP,
	},
}

// ifMarked returns the class of settings for congestion notification packets: they are optional if no switch marks.
func ifMarked(s *Settings) Class {
	if s.ECN != [8]bool{} {
		return Must
	}
	return Should
}

func lackCNP(*Settings) string {
	return "congestion notification packets have the marks of the firmware; the NIC sends none while no cos group of its intents has an " +
		"ecn block."
}

// trustRow is the key of the field that decides the priority of a received packet.
var trustRow = Row{
	Key: "trust", Means: ir.FieldTrust, Comment: "what decides a received packet's priority",
	Value: func(b []byte, s *Settings) []byte {
		if s.ByDSCP {
			return Word(b, s, "dscp")
		}
		return Word(b, s, "pcp")
	},
	Why: ByVersion,
}

// MapRows returns the keys of a NIC that maps DSCP to priorities: trust, and dscp_prio0 to dscp_prio7, which are the DSCP values of each
// priority, as ranges, or "none".
func MapRows() []Row {
	out := []Row{trustRow}
	for p := range uint8(8) {
		r := Row{
			Key: "dscp_prio" + strconv.Itoa(int(p)), Means: ir.FieldDSCP,
			Value: func(b []byte, s *Settings) []byte {
				if !s.ByDSCP {
					return b
				}
				return appendRanges(b, s.Runs, p)
			},
			Why: func(s *Settings) []ir.Origin {
				var out []ir.Origin
				for _, g := range s.NIC.Device.Fabric.CosGroups {
					for _, c := range g.DSCP {
						if s.DSCP[c.Value] == p {
							out = append(out, ir.Origin{At: c.At, Why: fmt.Sprintf("cos group %s claims DSCP %d", g.Name, c.Value)})
						}
					}
				}
				return out
			},
		}
		if p == 0 {
			r.Comment = "DSCP values that get priority 0 to 7"
		}
		out = append(out, r)
	}
	return out
}

// appendRanges appends the DSCP values of a priority: "0-25,27", or "none".
func appendRanges(b []byte, runs []Run, p uint8) []byte {
	start := len(b)
	for _, r := range runs {
		if r.Priority != p {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r.First), 10)
		if r.Last > r.First {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.Last), 10)
		}
	}
	if len(b) == start {
		b = append(b, "none"...)
	}
	return b
}
