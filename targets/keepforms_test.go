package targets_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

const (
	refused    = "which of its rows could hold secrets is not known"
	noCommands = "the paths of its commands cannot be found"
)

// keptForms are unusual forms of configurations with secrets, which contain the word HUNTER2. keeps is a part that must remain.
var keptForms = []struct{ says, name, text, keeps, why string }{
	{
		"the key of a row of a dump", "config_db.json",
		`{"SNMP_COMMUNITY|HUNTER2": {"type":"hash","value":{"TYPE":"RO"}}, "PORT|Ethernet0": {"type":"hash","value":{"speed":"100000"}}}`,
		`{"SNMP_COMMUNITY|x"      : {`, "",
	},
	{"an escaped row of a dump", "config_db.json", `{"SNMP_COMMUNITY\u007cHUNTER2": {}, "PORT|Ethernet0": {"speed":"100000"}}`, "", refused},
	{
		"a byte order mark", "config_db.json",
		"\xef\xbb\xbf{\"SNMP_COMMUNITY\": {\"HUNTER2\": {}},\n\"PORT\":\n{\"Ethernet0\": {\"speed\":\"100000\"}}}", `"speed":"100000"`, "",
	},
	{
		"an object behind other text of its line", "config_db.json",
		"a@b:~$ sonic-cfggen -d {\"AAA\": {\"x\": \n{\"PORT\": {\"x\": {\"speed\": \"HUNTER2\"}}}}}", "", refused,
	},
	{
		"a duplicate key, and an escaped key", "config_db.json",
		`{"PORT": {"Ethernet0": {"speed":"1"}}, "PORT": {"Ethernet4": {"speed":"100000", "pass\u0077ord":"HUNTER2"}}}`, `"speed":"100000"`, "",
	},
	{"comments", "config_db.json", `{"PORT": {"Ethernet0": {"speed":"1"}} /* HUNTER2 */ }`, "", refused},
	{"a comment behind a value", "startup.yaml", "- set:\n    qos:\n      roce:\n        mode: lossless # HUNTER2\n", "mode: lossless\n", ""},
	{
		"comments behind keys and entries", "startup.yaml",
		"- set: # HUNTER2\n    qos: # HUNTER2\n      x:\n      - a # HUNTER2\n    service: # HUNTER2\n      y: 1\n--- # HUNTER2\n",
		"    qos:\n      x:\n      - a\n    service: {}\n", "",
	},
	{
		"flow style", "startup.yaml",
		"- set:\n    interface: {swp1: {link: {mtu: 9216}, description: HUNTER2}}\n    qos: {roce: {mode: lossless}, a: {password: HUNTER2}}\n",
		"    interface: {swp1: {link: {mtu: 9216}, description: {}}}\n    qos: {roce: {mode: lossless}, a: {password: {}}}\n", "",
	},
	{"flow style of two lines", "startup.yaml", "- set:\n    qos: {roce: {mode: lossless},\n      password: HUNTER2}\n", "", refused},
	{"an escaped key", "startup.yaml", "- set:\n    qos:\n      \"auth-\\x6bey\": HUNTER2\n      roce: {mode: lossless}\n", "lossless", ""},
	{"an explicit key", "startup.yaml", "- set:\n    qos:\n      ? passphrase\n      : HUNTER2\n", "", refused},
	{"an anchor", "startup.yaml", "- set:\n    qos:\n      x: &x\n        passphrase: HUNTER2\n      y: *x\n", "", refused},
	{
		"a text of two lines of which one looks like a key", "startup.yaml",
		"- set:\n    system:\n      motd: \"a\n    qos: HUNTER2\n    \"\n    qos:\n      roce: {mode: lossless}\n", "", refused,
	},
	{"a directive", "startup.yaml", "%TAG ! HUNTER2\n---\nset:\n  qos: {roce: {mode: lossless}}\n", "", refused},
	{
		"a prompt", "startup.yaml", "HUNTER2@leaf:~$ nv config show -r HUNTER2\n- set:\n    qos:\n      roce:\n        mode: lossless\n",
		"cumulus@switch:~$ nv config show\n- set:\n", "",
	},
	{
		"commands behind a prompt", "config.nv",
		"HUNTER2@l:~$ nv set qos roce mode lossless\nHUNTER2@l:~$ history\n 1 mysql -pHUNTER2\n",
		"nv set qos roce mode lossless\ntrue\ntrue\n", "",
	},
	{
		"commands of two lines, with quotes and comments", "config.nv",
		"nv set qos roce \\\n mode lossless # HUNTER2\nnv set interface 'swp1' link mtu \"9216\"\nnv config apply -m HUNTER2\n" +
			"nv set system \\\n aaa HUNTER2\n",
		"nv set qos roce \\\n mode lossless\nnv set interface 'swp1' link mtu \"9216\"\ntrue\n\n\n", "",
	},
	{"a command with a secret behind a kept path", "config.nv", "nv set qos roce mode lossless && echo HUNTER2\n", "", noCommands},
	{
		"lines of FRR", "frr.conf",
		"! the word is HUNTER2\nrouter bgp 65001\n neighbor swp1 remote-as external a b c HUNTER2\n neighbor swp1 interface remote-as external\n",
		" neighbor swp1 interface remote-as external\n", "",
	},
}

// In every form of a configuration, no secret is kept. The kept part has the same meaning, or the file is refused with a reason.
func TestKeepForms(t *testing.T) {
	for _, c := range keptForms {
		file := lint.File{Name: "site/leaf01/" + c.name, Data: []byte(c.text)}
		kept, _, err := targets.Keep(file)
		if c.why != "" {
			require.EqualError(t, err, c.why, c.says)
			continue
		}
		require.NoError(t, err, c.says)
		require.NotContains(t, string(kept), "HUNTER2", c.says)
		require.Contains(t, string(kept), c.keeps, c.says)
		require.Equal(t, strings.Count(c.text, "\n"), bytes.Count(kept, []byte("\n")), c.says)
		again, _, err := targets.Keep(lint.File{Name: file.Name, Data: kept})
		require.NoError(t, err, c.says)
		require.Equal(t, string(kept), string(again), c.says)
		was, is := surveyed(file), surveyed(lint.File{Name: file.Name, Data: kept})
		require.Equal(t, was == nil, is == nil, c.says)
		if was != nil {
			all, whole := was.Settings.Differences(is.Settings)
			require.Empty(t, all, c.says)
			require.True(t, whole, c.says)
			require.Equal(t, was.Coverage.Part, is.Coverage.Part, c.says)
		}
	}
}

// Output of tools in a terminal session on a host is kept. Other commands, their output and names in prompts are removed.
func TestKeepHosts(t *testing.T) {
	const tool = "$ mlnx_qos -i eth0\nPriority trust state: dscp\n"
	for _, c := range []struct{ text, kept, why string }{
		{tool, tool, ""},
		{tool + "$ history\n 1 mysql -pHUNTER2\n", tool + "$ x\nx\n", ""},
		{tool + "$ env\nKEY=HUNTER2\n$ cat notes\nHUNTER2\n", tool + "$ x\nx\n$ cat notes\nx\n", ""},
		{"HUNTER2@gpu1:~$ " + tool[2:], tool, ""},
		{tool + "=== HUNTER2 ===\nbash: HUNTER2: command not found\n", tool + "=== x ===\nx: command not found\n", ""},
		{tool + "{\"a\":\n \"HUNTER2\"}\n", tool + "{\"x\": 0}\n\n", ""},
		{tool + "$ mlnx_qos -i eth0; curl -u HUNTER2\n", "", "one line has several commands, and one of them could hold secrets"},
		{tool + "$ mlnx_qos -i eth0 | tee HUNTER2\n", "", "one line has several commands, and one of them could hold secrets"},
		{"#!/bin/sh\n# HUNTER2\nmlnx_qos -i eth0 --trust dscp\n", "#!/bin/sh\n\nmlnx_qos -i eth0 --trust dscp\n", ""},
	} {
		name := "gpu1/host.txt"
		if c.text[1] == '!' {
			name = "gpu1/set.sh"
		}
		kept, _, err := targets.Keep(lint.File{Name: name, Data: []byte(c.text)})
		if c.why != "" {
			require.EqualError(t, err, c.why, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, c.kept, string(kept))
	}
}

// For any bytes, the result has only kept lines, or a reason is returned. Keeping the result again does not change it.
func FuzzKeepForms(f *testing.F) {
	names := []string{"config_db.json", "startup.yaml", "config.nv", "host.txt", "frr.conf", "set.sh", "lldp.json"}
	for _, c := range keptForms {
		f.Add(c.name, []byte(c.text))
	}
	f.Add("host.txt", []byte("a@b:~$ mlnx_qos -i eth0\nPriority trust state: dscp\n$ x; y\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !slices.Contains(names, name) {
			name = names[len(data)%len(names)]
		}
		kept, _, err := targets.Keep(lint.File{Name: "leaf1/" + name, Data: data})
		if err != nil {
			return
		}
		require.Equal(t, bytes.Count(data, []byte("\n")), bytes.Count(kept, []byte("\n")))
		if again, _, err := targets.Keep(lint.File{Name: "leaf1/" + name, Data: kept}); err == nil {
			require.Equal(t, string(kept), string(again))
		}
	})
}
