package stp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// treesText writes spanning trees as JSON.
func treesText(t *testing.T, trees []SpanningTree) string {
	t.Helper()
	text, err := json.Marshal(trees)
	require.NoError(t, err)
	return string(text)
}

// Spanning trees are read from mstpd, from Cumulus Linux, and by VLAN.
func TestTrees(t *testing.T) {
	const tree = `[{"Name":"br0","VLAN":0,"Root":"1000.00:00:00:00:00:01","Bridge":%q,"States":{"swp1":"forwarding","swp2":"blocking"}}]`
	for name, c := range map[string]struct{ file, text, want string }{
		"mstpd": {
			"stp.json", `{"bridge":"br0","stp-enabled":"yes","bridge-id":"8.000.00:00:00:00:00:05","designated-root":"1.000.00:00:00:00:00:01"}
[{"port":"swp1","bridge":"br0","state":"forwarding","role":"Root","designated-root":"1.000.00:00:00:00:00:01"},
 {"port":"swp2","bridge":"br0","state":"discarding","designated-root":"1.000.00:00:00:00:00:01"}]`,
			strings.Replace(tree, "%q", `"8000.00:00:00:00:00:05"`, 1),
		},
		"Cumulus Linux": {
			"stp.json", `{"br0":{"swp1":{"bridgeName":"br0","portName":"swp1","state":"forwarding","dsgnRoot":"1.000.00:00:00:00:00:01",
 "dsgnBr":"1.000.00:00:00:00:00:01"},"swp2":{"bridgeName":"br0","portName":"swp2","state":"discarding",
 "dsgnRoot":"1.000.00:00:00:00:00:01"}}}`, strings.Replace(tree, "%q", `""`, 1),
		},
		"no bridge": {"stp.json", "{}", "[]"},
		"by VLAN": {
			"stp-vlan.txt", `Bridge Vlan: 1
--------------------------------------
Bridge ID                priority    : 32769   mac-address       : 44:38:39:22:01:B1
Designated Root ID       priority    : 4097    mac-address       : 44:38:39:22:01:A1   root-port  : swp1
Timers                   hello-time  : 2s      forward-delay     : 15s                 max-age    : 20s

Bridge Vlan: 10
Bridge ID                priority    : 4106    mac-address       : 44:38:39:22:01:B1
Designated Root ID       priority    : 4106    mac-address       : 44:38:39:22:01:B1   root-port  : -
`, `[{"Name":"","VLAN":1,"Root":"1001.44:38:39:22:01:a1","Bridge":"8001.44:38:39:22:01:b1","States":{}},` +
				`{"Name":"","VLAN":10,"Root":"100a.44:38:39:22:01:b1","Bridge":"100a.44:38:39:22:01:b1","States":{}}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			trees, kept, err := readKept(c.file, []byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, treesText(t, trees))
			again, _, err := readKept(c.file, kept)
			require.NoError(t, err)
			assert.Equal(t, c.want, treesText(t, again))
		})
	}
	for file, texts := range map[string][]string{
		"stp.json": {"", "{", `{"x":1}`, `[1]`, "Error", strings.Repeat(`{"a":`, 20)},
		"stp-vlan.txt": {
			"", "Bridge Vlan: 1\n", "Bridge Vlan: 5000\nBridge ID priority : 1 mac-address : 1\n",
			"Bridge Vlan: 1\nBridge ID priority : 1\n",
		},
	} {
		for _, text := range texts {
			_, _, err := readKept(file, []byte(text))
			assert.Error(t, err, text)
		}
	}
}

// readKept reads an answer, and returns its kept form.
func readKept(file string, data []byte) (trees []SpanningTree, kept []byte, err error) {
	if strings.HasSuffix(file, ".txt") {
		trees, err = ReadVLANs(data)
		return trees, KeptVLANs(trees), err
	}
	if trees, err = Read(data); err == nil {
		kept, err = Kept(trees)
	}
	return trees, kept, err
}

// Reading ends for every answer, and a kept one is read as before.
func FuzzTrees(f *testing.F) {
	f.Add(true, []byte("Bridge Vlan: 1\nBridge ID priority : 1 mac-address : a\nDesignated Root ID priority : 1 mac-address : a\n"))
	f.Add(false, []byte(`[{"bridge":"b","port":"p","state":"forwarding","designated-root":"8.000.0:1:2:3:4:5"}]`))
	f.Add(false, []byte(`{"b":{"bridge":"b","vlan":9,"bridge-id":"8.000.0:1:2:3:4:5","designated-root":"8.000.0:1:2:3:4:5"}}`))
	f.Fuzz(func(t *testing.T, text bool, data []byte) {
		file := map[bool]string{true: "stp-vlan.txt", false: "stp.json"}[text]
		trees, kept, err := readKept(file, data)
		if err != nil {
			return
		}
		again, _, err := readKept(file, kept)
		require.NoError(t, err, "%s", kept)
		require.Equal(t, trees, again)
	})
}
