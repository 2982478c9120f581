package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/order"
)

// seed is a sound order for a gate, of which a case changes one thing.
type seed struct {
	*testing.T
	*bench
	*parts
}

// TestRefused changes one thing of a sound order at a time. The gate names each, and runs nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	allRefused(t, map[string]hostile{
		"key of another role":  {"does not allow", func(s *seed) { s.roleOf(s.T, "rocec-plan") }},
		"foreign key":          {"", func(s *seed) { s.signKey = filepath.Join(s.dir, "other"); keygen(s.T, "-f", s.signKey) }},
		"other namespace":      {"not for", func(s *seed) { s.role = "rocec-apply" }},
		"no signature":         {"not valid", func(s *seed) { s.signed = func(e *order.Envelope) { e.Signature = nil } }},
		"edited statement":     {"not valid", func(s *seed) { s.signed = editUntil }},
		"no signers":           {"no key can sign", func(s *seed) { require.NoError(s.T, os.Remove(s.signers)) }},
		"signers of all":       {"others than root may change", func(s *seed) { require.NoError(s.T, os.Chmod(s.signers, 0o666)) }},
		"signers of the group": {"others than root may change", func(s *seed) { require.NoError(s.T, os.Chmod(s.signers, 0o620)) }},
		"signers of another":   {"others than root may change", func(s *seed) { s.owner++ }},
		"signers by a link": {"others than root may change", func(s *seed) {
			require.NoError(s.T, os.Rename(s.signers, s.signers+"2"))
			require.NoError(s.T, os.Symlink(s.signers+"2", s.signers))
		}},
		"over":            {"the order ends at", func(s *seed) { s.statement.Until = noon }},
		"too long":        {"the order ends at", func(s *seed) { s.statement.Until = noon.Add(order.MaxTime + time.Second) }},
		"another machine": {"another machine", func(s *seed) { s.change.Machine = "SHA256:" + strings.Repeat("A", 43) }},
		"no machine":      {"another machine", func(s *seed) { s.change.Machine = "" }},
		"another run":     {"the signature is for run", func(s *seed) { s.change.Run = "20261130t115900z-ffff" }},
		"edited change": {"does not cover", func(s *seed) {
			s.signed = func(e *order.Envelope) { e.Change = bytes.Replace(e.Change, []byte("leaf01"), []byte("leaf02"), 1) }
		}},
		"another root":   {"does not cover", func(s *seed) { s.statement.Root = strings.Repeat("0", 64) }},
		"unknown member": {"damaged", func(s *seed) { s.signed = evilMember(s.T, s.parts) }},
		"another content": {"does not have its content", func(s *seed) {
			s.envelope.Contents = [][]byte{[]byte("traffic.x = 1\n")}
		}},
		"another path":      {"rocec writes no such file", func(s *seed) { s.change.Files[0].Path = "/etc/passwd" }},
		"a path upwards":    {"rocec writes no such file", func(s *seed) { s.change.Files[0].Path = conf + "/../../../passwd" }},
		"sudoers":           {"rocec writes no such file", func(s *seed) { s.change.Files[0].Path = "/etc/sudoers.d/rocec-txn" }},
		"signers as a file": {"rocec writes no such file", func(s *seed) { s.change.Files[0].Path = order.Signers }},
		"removal of another file": {"rocec writes no such file", func(s *seed) {
			s.change.Files[0].Path, s.change.Files[0].Target = "/etc/shadow", commands.Absent
		}},
		"setuid": {"wrong form", func(s *seed) { s.change.Files[0].Mode = 0o4755 }},
		"script": {"its content is not that", func(s *seed) {
			text := []byte("#!/bin/sh\nreboot\n")
			s.change.Files[0] = order.FileChange{
				Path: "/usr/local/sbin/rocec-host", Base: commands.Absent, Target: commands.Sum(text), Mode: 0o755, Replaces: true,
			}
			s.envelope.Contents = [][]byte{text}
		}},
		"unknown step":    {"knows no step", func(s *seed) { s.change.Steps[0].Name = "cumulus reboot" }},
		"unknown system":  {"knows no step", func(s *seed) { s.change.Steps[0].Name = "sh reboot" }},
		"step of a shell": {"knows no step", func(s *seed) { s.change.Steps[0].Name = "mlx5 apply eth0;reboot" }},
		"query as step":   {"knows no step", func(s *seed) { s.change.Steps[0].Name = "sonic rows" }},
		"checker as step": {"knows no step", func(s *seed) { s.change.Steps[0].Name = "cumulus check-traffic" }},
		"step as checker": {"knows no step", func(s *seed) { s.change.Files[0].Check = "cumulus restart" }},
		"unknown checker": {"knows no step", func(s *seed) { s.change.Files[0].Check = "cumulus check" }},
		"data not sent":   {"data of a step", func(s *seed) { s.change.Steps[0].Stdin = strings.Repeat("0", 64) }},
		"step as query": {"knows no step", func(s *seed) {
			s.change.Lives = []order.Live{{State: "a/b", Query: "cumulus restart"}}
		}},
		"live state upward": {"wrong form", func(s *seed) {
			s.change.Lives = []order.Live{{State: "../x", Query: "sonic rows"}}
		}},
		"live state rooted": {"wrong form", func(s *seed) {
			s.change.Lives = []order.Live{{State: "/etc/x", Query: "sonic rows"}}
		}},
		"missing state":     {"not there", func(s *seed) { s.change.Steps[0].States = []int{0} }},
		"negative state":    {"not there", func(s *seed) { s.change.Steps[0].States = []int{-1} }},
		"key with a line":   {"wrong form", func(s *seed) { s.change.Key = "a\nreboot" }},
		"digest":            {"wrong form", func(s *seed) { s.change.Digest = "none" }},
		"note of lines":     {"wrong form", func(s *seed) { s.change.Note = "a\nb" }},
		"base":              {"wrong form", func(s *seed) { s.change.Files[0].Base = "x y" }},
		"owner with a line": {"wrong form", func(s *seed) { s.change.Owner = "a\nb" }},
		"owner as a flag":   {"wrong form", func(s *seed) { s.change.Owner = "-x" }},
		"description":       {"wrong form", func(s *seed) { s.envelope.About = "a\x1b[2J\n" }},
		"no time":           {"out of bounds", func(s *seed) { s.envelope.First = 0 }},
		"endless time":      {"out of bounds", func(s *seed) { s.envelope.Later = mostSeconds + 1 }},
		"endless space":     {"out of bounds", func(s *seed) { s.change.Need = 1 << 30 }},
		"many files": {"too many", func(s *seed) {
			s.change.Files = slices.Repeat(s.change.Files, order.MostOf+1)
		}},
		"removal": {"takes the gate away", func(s *seed) { s.change.Remove = true }},
	})
}

// hostile changes one thing of a sound order, and has a part of the answer of the gate.
type hostile struct {
	says string
	do   func(*seed)
}

func allRefused(t *testing.T, all map[string]hostile) {
	t.Helper()
	for name, one := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := b.sound()
			one.do(&seed{t, b, p})
			status, said := b.call(p.bytes(t), "prepare")
			require.Equal(t, 1, status)
			require.True(t, strings.HasPrefix(said, "rocec-fail unsigned\n"), said)
			require.Contains(t, said, one.says)
			require.Empty(t, b.ran)
		})
	}
}

func editUntil(e *order.Envelope) {
	e.Statement = bytes.Replace(e.Statement, []byte("2026-11-30T13"), []byte("2026-11-30T14"), 1)
}

// evilMember puts an unknown member into the change, under the signature.
func evilMember(t *testing.T, p *parts) func(*order.Envelope) {
	return func(e *order.Envelope) {
		var members map[string]any
		if err := json.Unmarshal(e.Change, &members); err != nil {
			panic(err)
		}
		members["evil"] = 1
		e.Change, _ = json.Marshal(members) //nolint:errchkjson // a map of JSON
		e.Path = nil
		p.statement.Root = commands.Sum(append([]byte{0}, e.Change...))
		e.Statement = p.statement.Text()
		e.Signature = sign(t, p.signKey, p.role, e.Statement)
	}
}
