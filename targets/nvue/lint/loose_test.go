package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
	target "github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/targettest"
)

// sound is a tree without a finding. Each case of [TestSlips] makes one slip in it.
const sound = `- header:
    model: SN4700
    version: Cumulus Linux 5.9.1
- set:
    interface:
      swp1-4:
        qos:
          pfc:
            profile: roce
          mapping:
            profile: roce
        type: swp
    qos:
      congestion-control:
        default-global:
          traffic-class:
            '3':
              ecn: enable
      mapping:
        roce:
          trust: l3
      pfc:
        roce:
          cable-length: 40
          switch-priority:
            '3': {}
          tx: enable
      traffic-pool:
        default-lossless:
          memory-percent: 50
        default-lossy:
          memory-percent: 50
`

// at returns severity, code, line and word of each finding.
func at(text string, ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%s %s %d %s", d.Severity, d.Code, d.At.Start.Line, text[d.At.Start.Byte:d.At.End.Byte]))
	}
	return out
}

// TestSlips: a slip makes only its line or its node unreadable. The slip is one finding at its place, and all other findings stay the
// same.
func TestSlips(t *testing.T) {
	require.Empty(t, lint.Check("x", []byte(sound), grammar.Release{5, 9}))
	for _, c := range []struct{ name, from, to, want string }{
		{"no colon", "cable-length: 40", "cable-length 40", "error conf-nvue-tree 24 cable-length"},
		{"no colon in the last line of a block", "tx: enable", "tx enable", "error conf-nvue-tree 27 tx"},
		{"tab", "          cable-length: 40", "\t\tcable-length: 40", "error conf-nvue-tree 24 \t\tcable-length"},
		{"two values", "cable-length: 40", "cable-length: 40: 3", "error conf-nvue-tree 24 cable-length"},
		{"quote", "trust: l3", "trust: 'l3", "error conf-nvue-tree 21 trust"},
		{"anchor", "trust: l3", "trust: &a l3", "error conf-nvue-tree 21 &a"},
		{"alias", "          switch-priority:\n            '3': {}", "          switch-priority: *x", "error conf-nvue-tree 25 switch-priority"},
		{"tag", "ecn: enable", "ecn: !!str enable", "error conf-nvue-tree 18 !!str"},
		{"merge", "tx: enable", "<<: *x", "error conf-nvue-tree 27 <<"},
		{"twice", "tx: enable", "tx: enable\n          tx: disable", "error conf-nvue-tree 28 tx"},
		{"a mapping twice", "      traffic-pool:", "      pfc: {}\n      traffic-pool:", "error conf-nvue-tree 28 pfc"},
		{"a byte", "trust: l3", "trust: l\xff", "error conf-nvue-tree 21 \xff"},
		{"a byte in a key", "cable-length", "cable\xfflength", "error conf-nvue-tree 24 \xfflength"},
		{"not a key", "tx: enable", "[a]: enable", "error conf-nvue-tree 27 [a"},
		{"profile", "profile: roce", "profile: *roce", "error conf-nvue-tree 9 profile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, sound, c.from)
			text := strings.Replace(sound, c.from, c.to, 1)
			ds := lint.Check("x", []byte(text), grammar.Release{5, 9})
			require.Equal(t, []string{c.want}, at(text, ds))

			const lossy = "default-lossy:\n          memory-percent: "
			wrong := strings.Replace(text, lossy+"50", lossy+"60", 1)
			line := strings.Count(text, "\n")
			ds = lint.Check("x", []byte(wrong), grammar.Release{5, 9})
			assert.Equal(t, []string{c.want, fmt.Sprintf("error conf-nvue-pool %d 60", line)}, at(wrong, ds))
			taken, ds := lint.Judge(target.File{Name: "startup.yaml", Data: []byte(wrong)})
			assert.Empty(t, taken.Why)
			assert.Len(t, ds, 2)
		})
	}
	cut := sound[:strings.Index(sound, "          switch-priority")]
	assert.Empty(t, lint.Check("x", []byte(cut[:strings.LastIndex(cut, ":")-4]+"h\n"), grammar.Release{5, 9})[1:], "a truncated text")
}

// TestCommands: findings in lines of commands, each at its word, also in joined lines and in a part.
func TestCommands(t *testing.T) {
	for _, c := range []struct{ text, part, want string }{
		{"nv set qos pfc a tx maybe\n", "only lines of nv set", "error conf-nvue-value 1 maybe"},
		{"nv set qos pfc a \\\n   tx 'may be'\n", "only lines of nv set", "error conf-nvue-value 2 'may be'"},
		{"# é\nsudo nv set qos pfcc\n", "script", "warning conf-nvue-path 2 pfcc"},
		{"# é\nnv set qos roce; echo é && nv set qos pfc a tx maybe\n", "script", "error conf-nvue-value 2 maybe"},
		{"nv unset qos pfcc\n", "script", "warning conf-nvue-path 1 pfcc"},
		{"nv unset qos pfc a tx enable\n", "script", ""},
		{"nv unset interface swp1-4 qos pfc profile\n", "script", ""},
		{"nv set qos pfc a tx\n", "only lines of nv set", "error conf-nvue-value 1 tx"},
		{"nv set qos pfc a tx enable now\n", "only lines of nv set", "error conf-nvue-tree 1 now"},
		{"nv set qos pfc a tx 'on\n", "script", "error conf-nvue-tree 1 'on"},
		{"nv set qos pfc $P tx on\nnv set qos roce\n", "only lines of nv set", "warning conf-nvue-tree 1 $P"},
		{"nv set qos roce\nfoo bar\n", "script", "warning conf-nvue-tree 2 foo"},
		{"nv set qos pfc a switch-priority 3\n", "only lines of nv set", ""},
		{"nv set qos pfc a switch-priority 3\nnv set interface swp1 qos pfc profile a\n", "only lines of nv set", ""},
		{"nv set interface swp1 qos pfc profile a\nnv config apply\n", "script", ""},
		{"nv set interface swp1 qos pfc-watchdog state enable\n", "only lines of nv set", ""},
		{"nv set qos traffic-pool default-lossless memory-percent 50\n", "only lines of nv set", ""},
		{"nv set qos egress-scheduler a traffic-class 3 mode dwrr\n", "only lines of nv set", ""},
		{"nv set qos mapping a dscp 26 switch-priority 3\nnv set interface swp1 qos mapping profile a\n", "only lines of nv set", ""},
		{"nv set qos congestion-control a traffic-class 3 min-threshold 9000000\n", "only lines of nv set", ""},
		{
			"nv set qos congestion-control a traffic-class 3 min-threshold 9000\n" +
				"nv set qos congestion-control a traffic-class 3 max-threshold 8000\n", "only lines of nv set", "error conf-ecn-thresholds 1 9000",
		},
		{"nv set interface swp4-1 qos pfc profile a\n", "only lines of nv set", "error conf-nvue-member 1 swp4-1"},
		{"- set: {qos: {pfc: {a: {tx: maybe}}}}\n- unset: {qos: {roce: }}\n", "it unsets qos", "error conf-nvue-value 1 maybe"},
		{"- unset: {qos: {pfcc: {a: }}}\n", "it unsets qos", "warning conf-nvue-path 1 pfcc"},
		{"u@leaf1:~$ nv config diff\n- set:\n    qos: {pfc: {a: {switch-priority: {'3': }}}}\n", "difference", ""},
		{
			"nv set interface swp1 type swp\nnv set qos pfc default-global switch-priority 3\n", "",
			"warning conf-headroom 2 default-global|error conf-nvue-pool 2 default-global",
		},
		{"nv set interface swp1 type swp\nnv set interface swp1 qos pfc profile nope\n", "", "error conf-nvue-profile 2 nope"},
		{"u@leaf1:~$ nv config show -o commands\nnv set interface swp1 qos pfc profile nope\n", "", "error conf-nvue-profile 2 nope"},
	} {
		f := target.File{Name: "x", Data: []byte(c.text)}
		require.True(t, lint.Takes(f), c.text)
		taken, ds := lint.Judge(f)
		assert.Equal(t, c.part != "", taken.Part, c.text)
		assert.Contains(t, taken.Why, c.part, c.text)
		if c.part != "" {
			require.NotEmpty(t, ds)
			assert.Equal(t, "conf-nvue", ds[len(ds)-1].Code)
			ds = ds[:len(ds)-1]
		}
		assert.Equal(t, c.want, strings.Join(at(c.text, ds), "|"), c.text)
	}
}

// TestShow: the output of nv show is reported as not being a configuration. The output of nv config show is a configuration.
func TestShow(t *testing.T) {
	for text, shown := range map[string]bool{
		`{"eth0": {"ip": {"address": {}}, "link": {"mtu": 1500}, "type": "eth"}, "swp1": {"link": {"oper-status": "up"}}}`:            true,
		`{"swp1": {"link": {"state": {"up": {}}}, "type": "swp"}}`:                                                                    true,
		`{"acl": {}, "bridge": {}, "ip": {"vrf": "default"}, "link": {"mtu": 9216}, "type": "swp"}`:                                   true,
		`{"cable-length": 100, "congestion-control": {"enabled-tc": "0,3"}, "mode": "lossless", "trust": {"trust-mode": "pcp,dscp"}}`: true,
		`{"enable": "on", "pfc": {"pfc-priority": "3"}}`:                                                                              true,
		`{"mapping": {"default-global": {}}, "pfc": {"default-global": {}}}`:                                                          true,
		`{"operational": {"qos": {}}, "applied": {}}`:                                                                                 true,
		`{"build": "Cumulus Linux 5.9.1", "hostname": "leaf1"}`:                                                                       true,
		"u@leaf1:mgmt:~$ nv show qos roce\n       operational  applied\n":                                                             true,
		"u@leaf1:mgmt:~$ nv show interface -o json\n{\"swp1\": {}}":                                                                   true,
		`{"interface": {"swp1": {"link": {"mtu": 9000}, "type": "swp"}}}`:                                                             false,
		`{"qos": {"roce": {"mode": "lossless"}}, "system": {}}`:                                                                       false,
		"u@leaf1:~$ nv config show -o json\n[{\"set\": {\"qos\": {}}}]":                                                               false,
	} {
		f := target.File{Name: "x.json", Data: []byte(text)}
		require.True(t, lint.Takes(f), text)
		taken, ds := lint.Judge(f)
		assert.Equal(t, shown, taken.Dialect == "output of nv show", text)
		if shown {
			assert.Equal(t, "it is the output of nv show, which is not a configuration", taken.Why)
			require.Len(t, ds, 1)
			assert.Equal(t, "conf-not-judged", ds[0].Code)
		} else {
			assert.Empty(t, taken.Why, text)
		}
	}
}

// TestTakes: a text is NVUE's by its beginning, in each form.
func TestTakes(t *testing.T) {
	for text, want := range map[string]bool{
		"qos:\n  roce: {}\n": true, "# x\ninterface:\n  swp1:\nsystem:\n": true, "bridge:\n  a: {}\nqos: {roce: }\n": true,
		"set:\n  qos: {}\n": true, "bridge:\n  a: {}\n": false, "services:\n  qos: {}\n": false,
		"qos:\n  a: {}\nimage: x\n": false, "qos: {}": false,
		`{"news": {}, "qos": {}}`: true, `{"PORT": {}, "qos": {}}`: false, `{"a": {"x": {}}}`: false, `{"qos" 3}`: false, `["qos"]`: false,
		"#!/bin/bash\nset -e\nP=swp1\nfor i in 1 2; do\n  nv set interface $P\ndone\n": true,
		"nvme list\n": false, "rm -rf /\nnv set qos\n": false,
		"u@gpu1:~$ mlnx_qos -i eth0\n": false, "u@leaf1:~$ sudo cat /etc/nvue.d/startup.yaml\n- set:\n    qos: {}\n": true,
		"u@leaf1:~$ nv set qos roce\n": true, "u@leaf1:~$ nv config show\n": true,
	} {
		assert.Equal(t, want, lint.Takes(target.File{Name: "x", Data: []byte(text)}), text)
	}
	for name, want := range map[string]bool{"startup.nv": true, "leaf1-startup.json": true, "leaf1.nv": false, "x.yaml": false} {
		assert.Equal(t, want, lint.Linter.Knows(name), name)
	}
}

// TestMark: places count in the file, also after a byte order mark, and far into a long line.
func TestMark(t *testing.T) {
	text := target.ByteOrderMark + "nv set qos pfc a tx maybe\n"
	assert.Equal(t, []string{"error conf-nvue-value 1 maybe"}, at(text, lint.Check("x", []byte(text), grammar.Release{5, 9})))
	long := `{"system": {"text": "` + strings.Repeat("é", 20_000) + `"}, "qos": {"pfc": {"a": {"tx": "maybe"}}}}`
	assert.Equal(t, []string{`error conf-nvue-value 1 "maybe"`}, at(long, lint.Check("x", []byte(long), grammar.Release{5, 9})))
}

// TestCost: checking a tree of 10,000 ports with a slip takes about the time of a tree without one, in each form.
func TestCost(t *testing.T) {
	var b strings.Builder
	b.WriteString("- set:\n    interface:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "      swp%d:\n        type: swp\n        link:\n          mtu: 9216\n", i+1)
		fmt.Fprintf(&b, "        qos:\n          pfc:\n            profile: p%d\n", i%5)
	}
	for name, text := range map[string]string{
		"sound": b.String(), "slip": strings.Replace(b.String(), "swp10000:\n        type:", "swp10000:\n        type", 1),
		"slips":    strings.ReplaceAll(b.String(), "profile: p4", "profile p4"),
		"commands": strings.Repeat("nv set interface swp1-1000 qos pfc profile 'a\n", 100_000),
		"quotes":   strings.Repeat("nv set qos pfc a tx '\n", 100_000),
	} {
		took := targettest.ProcessorTime(t, func() { lint.Unstated("x", []byte(text)) })
		assert.Less(t, took, 20*time.Second, name)
		t.Logf("%s: %v", name, took)
	}
}
