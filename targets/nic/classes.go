package nic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// The values show prints for a setting it cannot tell, in front of a colon and the reason.
const (
	unsupported = "unsupported" // there is no way to it on this host
	unreadable  = "unreadable"  // there is one, and it is shut
)

// cannot takes apart what show prints for a setting it cannot tell.
func cannot(value string) (why string, is bool) {
	for _, word := range []string{unsupported, unreadable} {
		if rest, ok := strings.CutPrefix(value, word); ok && (rest == "" || rest[0] == ':') {
			return strings.TrimSpace(strings.TrimPrefix(rest, ":")), true
		}
	}
	return "", false
}

// Topics are what every family may report.
var Topics = []diag.Topic{mixedTopic, optionTopic, pcpTopic, settingTopic, tosTopic, vlanTopic}

var settingTopic = diag.Topic{Code: "host-setting", Summary: "a host cannot be set as the fabric says"}

// shouldRow is the key that tells the script which of the other keys only help.
var shouldRow = Row{
	Key: "should", Aside: "it lists keys of the file", Host: true, Comment: "keys that help where they can be set; every other one must hold",
	Value: func(b []byte, s *Settings) []byte {
		first := true
		for i := range s.family.Rows() {
			r := &s.family.Rows()[i]
			if r.class(s) != Should || len(r.Value(nil, s)) == 0 {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			b, first = append(b, r.Key...), false
		}
		return b
	},
	Why: ByMember,
}

// judgeLine judges a line of show. It reports a value that differs and cannot be set; keeps reports whether the line stays as it is.
func (s *Settings) judgeLine(ds *diag.List, key, value string, mine []byte) (keeps bool) {
	r := s.row(key)
	if why, is := cannot(value); is {
		if r != nil && r.class(s) == Should {
			if r.Lack != nil {
				s.lacks(ds, r)
			}
			return true
		}
		s.refuse(ds, key, "%s. %s", orNoWay(why), s.need(r, key))
		return true
	}
	switch {
	case value == "missing" && strings.HasPrefix(key, vfKey):
		s.refuse(ds, key, "the virtual function is not there. Make it on the host, or take it out of vf_roce")
	case value == "missing" && key == "vlan_map" && !s.NIC.CreateVLAN:
		s.refuse(ds, key, "the host has no interface of VLAN %d on %s. Make it in the network configuration of the host, or say "+
			"create_vlan = true in the nic block", s.VLAN, s.netdev())
	case r != nil && r.Host && string(mine) != key+"="+value:
		_, want, _ := strings.Cut(string(mine), "=")
		s.refuse(ds, key, "it is %s, and the fabric says %s. Change the network configuration of the host, or the fabric", value, want)
	}
	return false
}

func orNoWay(why string) string {
	if why == "" {
		return "the host cannot set it"
	}
	return why
}

// need says why a setting has to be.
func (s *Settings) need(r *Row, key string) string {
	if len(s.Intents) == 0 || strings.HasPrefix(key, vfKey) || r != nil && r.class(s) == Wish {
		return "The fabric asks for it"
	}
	return fmt.Sprintf("Without it the intent %s is not carried", s.Intents[0].Name)
}

// refuse reports a setting of the NIC that cannot be as the fabric says.
func (s *Settings) refuse(ds *diag.List, key, format string, args ...any) {
	at := s.NIC.At
	if from := s.why(key); len(from) > 0 {
		at = diag.FirstPlace(from[0].At, at)
	}
	settingTopic.Errorf(ds, at, "%s of the nic %s of the host group %s: %s.", key, s.NIC.Name, s.NIC.Device.Group,
		fmt.Sprintf(format, args...))
}

// lacks notes, once, what follows from a setting that helps and is not there.
func (s *Settings) lacks(ds *diag.List, r *Row) {
	text := r.Lack(s)
	if text == "" {
		return
	}
	text = fmt.Sprintf("%s of the host group %s: %s", s.NIC.Name, s.NIC.Device.Group, text)
	if !slices.ContainsFunc(*ds, func(d *diag.Diagnostic) bool { return d.Detail == text }) {
		settingTopic.Noticef(ds, s.NIC.At, "%s", text)
	}
}

// row returns the row of a key, or nil.
func (s *Settings) row(key string) *Row {
	i := slices.IndexFunc(s.family.Rows(), func(r Row) bool { return r.Key == key })
	if i < 0 {
		return nil
	}
	return &s.family.Rows()[i]
}

// hostLines are the lines of the value file that the host's network configuration decides and show prints, too.
func (s *Settings) hostLines() []byte {
	var b []byte
	for i := range s.family.Rows() {
		r := &s.family.Rows()[i]
		if !r.Host || r.Key == shouldRow.Key {
			continue
		}
		if v := r.Value(nil, s); len(v) > 0 {
			b = append(append(append(append(b, r.Key...), '='), v...), '\n')
		}
	}
	return b
}

// netdev is the interface below the VLANs of the NIC.
func (s *Settings) netdev() string {
	if s.NIC.Bond != nil {
		return s.NIC.Bond.Name
	}
	return s.NIC.Name
}

// AtVLAN returns the line that asks for the interface of the VLAN.
func AtVLAN(s *Settings) []ir.Origin {
	return []ir.Origin{{At: diag.FirstPlace(s.NIC.VLANAt, s.NIC.At), Why: "create_vlan of the nic"}}
}

// lines ranges over "KEY=VALUE" lines.
func lines(content []byte, use func(line []byte, key, value string, ok bool)) {
	for line := range bytes.Lines(content) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		key, value, ok := bytes.Cut(line, []byte("="))
		use(line, string(key), string(value), ok)
	}
}
