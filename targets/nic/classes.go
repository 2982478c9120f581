package nic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
)

// The words that show prints for a setting without a known value. A colon and the reason follow.
const (
	unsupported = "unsupported" // this host has no way to read or set it
	unreadable  = "unreadable"  // the host has a way, but refuses it
)

// Cannot reports whether a value in the output of show is one of these words, and returns the reason.
func Cannot(value string) (why string, is bool) {
	for _, word := range []string{unsupported, unreadable} {
		if rest, ok := strings.CutPrefix(value, word); ok && (rest == "" || rest[0] == ':') {
			return strings.TrimSpace(strings.TrimPrefix(rest, ":")), true
		}
	}
	return "", false
}

// Topics lists the codes that every family may report.
var Topics = []diag.Topic{mixedTopic, optionTopic, parameterTopic, pcpTopic, senderTopic, SettingTopic, tosTopic, vlanTopic}

var SettingTopic = diag.Topic{Code: "host-setting", Summary: "a host cannot have the settings of the fabric"}

// shouldRow is the row of the key that lists optional keys for the script.
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

// judgeLine judges a line of show. It reports a different value that cannot be set. keeps states whether the line does not change.
func (s *Settings) judgeLine(ds *diag.List, key, value string, mine []byte) (keeps bool) {
	r := s.row(key)
	if why, is := Cannot(value); is {
		if r != nil && r.class(s) == Should {
			if r.Lack != nil {
				s.lacks(ds, r)
			}
			return true
		}
		s.Refuse(ds, key, "%s. %s", OrNoWay(why), s.need(r, key))
		return true
	}
	switch {
	case value == "missing" && strings.HasPrefix(key, steps.VFKey):
		s.Refuse(ds, key, "the virtual function does not exist. Create it on the host, or remove it from vf_roce")
	case value == "missing" && key == "vlan_map" && !s.NIC.CreateVLAN:
		s.Refuse(ds, key, "the host has no interface of VLAN %d on %s. Create it in the network configuration of the host, or write "+
			"create_vlan = true in the nic block", s.VLAN, s.netdev())
	case r != nil && r.Host && string(mine) != key+"="+value:
		_, want, _ := strings.Cut(string(mine), "=")
		s.Refuse(ds, key, "it is %s, and the fabric says %s. Change the network configuration of the host, or the fabric", value, want)
	}
	return false
}

func OrNoWay(why string) string {
	if why == "" {
		return "the host cannot set it"
	}
	return why
}

// need returns a sentence about why a setting is required.
func (s *Settings) need(r *Row, key string) string {
	if len(s.Intents) == 0 || strings.HasPrefix(key, steps.VFKey) || r != nil && r.class(s) == Wish {
		return "The fabric asks for it"
	}
	return fmt.Sprintf("Without it the NIC does not carry the intent %s", s.Intents[0].Name)
}

// Refuse reports a setting of the fabric that the NIC cannot have.
func (s *Settings) Refuse(ds *diag.List, key, format string, args ...any) {
	at := s.NIC.At
	if from := s.Why(key); len(from) > 0 {
		at = diag.FirstPlace(from[0].At, at)
	}
	SettingTopic.Errorf(ds, at, "%s of the nic %s of the host group %s: %s.", key, s.NIC.Name, s.NIC.Device.Group,
		fmt.Sprintf(format, args...))
}

// lacks reports the effect of a missing optional setting, as a note. It reports the same text only once.
func (s *Settings) lacks(ds *diag.List, r *Row) {
	text := r.Lack(s)
	if text == "" {
		return
	}
	text = fmt.Sprintf("%s of the host group %s: %s", s.NIC.Name, s.NIC.Device.Group, text)
	if !slices.ContainsFunc(*ds, func(d *diag.Diagnostic) bool { return d.Detail == text }) {
		SettingTopic.Noticef(ds, s.NIC.At, "%s", text)
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

// hostLines returns those lines of the value file that the host's network configuration decides and that show also prints.
func (s *Settings) hostLines() []byte {
	var b []byte
	for i := range s.family.Rows() {
		r := &s.family.Rows()[i]
		if !r.Host || r.Key == shouldRow.Key || strings.HasPrefix(r.Key, steps.StoredKey) { // a state of its own has what cards store
			continue
		}
		if v := r.Value(nil, s); len(v) > 0 {
			b = append(append(append(append(b, r.Key...), '='), v...), '\n')
		}
	}
	return b
}

// netdev returns the interface below the VLANs of the NIC.
func (s *Settings) netdev() string {
	if s.NIC.Bond != nil {
		return s.NIC.Bond.Name
	}
	return s.NIC.Name
}

// AtVLAN returns the origin of the request for a VLAN interface.
func AtVLAN(s *Settings) []ir.Origin {
	return []ir.Origin{{At: diag.FirstPlace(s.NIC.VLANAt, s.NIC.At), Why: "create_vlan of the nic"}}
}

// Lines ranges over "KEY=VALUE" lines.
func Lines(content []byte, use func(line []byte, key, value string, ok bool)) {
	for line := range bytes.Lines(content) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		key, value, ok := bytes.Cut(line, []byte("="))
		use(line, string(key), string(value), ok)
	}
}
