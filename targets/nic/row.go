package nic

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// Row is one key of a value file.
type Row struct {
	Key     string
	Comment string // the line above the key in the value file; empty: the comment above covers this key too
	Lone    bool   // the comment is about this key alone, and is left out with it
	Host    bool   // the host's network configuration decides it: it is compared, never set, and not in nic/IF

	// Means is the field of [ir.Settings] that the key sets; where a key sets no field, Aside is the reason.
	Means ir.Field
	Aside string

	// Value appends the key's value; a row that appends nothing is left out.
	Value func(b []byte, s *Settings) []byte

	// Why returns the origins of the value.
	Why func(s *Settings) []ir.Origin

	// Class returns the importance of the setting; nil: [Must].
	Class func(s *Settings) Class

	// Lack returns full sentences about the effect of a missing optional setting; empty or nil: a person would notice no effect.
	Lack func(s *Settings) string
}

// The reasons why rows set no field.
const (
	Congestion = "congestion control has no field"
	NoPort     = "it is about an interface, and about no priority"
	NoPriority = "it decides no priority"
	WhoSets    = "it decides who sets the values"
)

// Class is the importance of a setting to the person.
type Class uint8

// The classes. A Must or Wish that cannot be set, read back or found fails apply, check and verify.
const (
	Must   Class = iota // without it the NIC does not carry the intent
	Wish                // the fabric states it
	Should              // it is optional; if the NIC lacks it, plan and verify report the effect
)

// class returns the class of a row for a NIC.
func (r *Row) class(s *Settings) Class {
	if r.Class == nil {
		return Must
	}
	return r.Class(s)
}

// Always returns the class function of a row with the same class for every NIC.
func Always(c Class) func(*Settings) Class { return func(*Settings) Class { return c } }

// Sorted joins rows and sorts them by key.
func Sorted(parts ...[]Row) []Row {
	all := slices.Concat(parts...)
	sort.Slice(all, func(i, k int) bool { return all[i].Key < all[k].Key })
	return all
}

// sortedOnce joins rows with one more row when they are first read.
func sortedOnce(rows func() []Row, more Row) func() []Row {
	return sync.OnceValue(func() []Row { return Sorted(rows(), []Row{more}) })
}

// Word appends a value that every NIC with an intent has.
func Word(b []byte, s *Settings, v string) []byte {
	if len(s.Intents) == 0 {
		return b
	}
	return append(b, v...)
}

// AppendIf appends a number if is is true.
func AppendIf(b []byte, is bool, n int) []byte {
	if !is {
		return b
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// Eight appends eight numbers that every NIC with an intent has: "0,0,0,0,1,0,0,0".
func Eight(b []byte, s *Settings, at func(int) int) []byte {
	if len(s.Intents) == 0 {
		return b
	}
	for i := range 8 {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(at(i)), 10)
	}
	return b
}

// AtNIC returns the nic block as the origin of a value.
func AtNIC(s *Settings) []ir.Origin {
	return []ir.Origin{{At: s.NIC.At, Why: "nic " + s.NIC.Name}}
}

// ByMember returns the intents of a NIC as origins.
func ByMember(s *Settings) []ir.Origin {
	var out []ir.Origin
	for _, in := range s.Intents {
		out = append(out, ir.Origin{At: in.At, Why: "member of " + in.Name})
	}
	return out
}

// ByVersion returns the origins of the RoCE versions of a NIC's intents.
func ByVersion(s *Settings) []ir.Origin {
	var out []ir.Origin
	for _, in := range s.Intents {
		out = append(out, ir.Origin{At: in.VersionAt, Why: fmt.Sprintf("RoCEv%d of %s", in.Version, in.Name)})
	}
	return out
}

// EveryGroup returns all cos groups as the origins of a value.
func EveryGroup(s *Settings) []ir.Origin {
	var out []ir.Origin
	for _, g := range s.NIC.Device.Fabric.CosGroups {
		out = append(out, ir.Origin{At: g.At, Why: "cos group " + g.Name})
	}
	return out
}
