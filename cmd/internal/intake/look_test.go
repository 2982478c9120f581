package intake

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Look recognises the type of each source by its text, its name, or the word before a colon.
func TestLook(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"topology.dot": "graph g { \"a\":\"swp1\" -- \"b\":\"swp1\" }", "lab.yml": "topology:\n  links: " +
			"[]\n", "air.json": `{"links": [[]]}`,
		"cables.csv": "a,b\nleaf1:swp1,gpu1:eth0\n", "fronts.csv": "device,name,rear_port\n", "devices.csv": "name,role\n",
		"serial.csv": "StartDevice,StartPort,EndDevice,EndPort,BaudRate\n",
		"own.csv":    "Von,Nach\n", "tor7-config_db.json": `{"PORT": {}}`, "leaf1-lldp.json": `{"lldp": {}}`, "notes.txt": "hello\n",
		"broken.dot": "graf g\n", "startup.yaml": "- set:\n    qos: {}\n", "devices.tar.gz": "\x1f\x8b",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	require.NoError(t, os.Mkdir("collected", 0o777))
	for _, c := range []struct {
		sources []string
		kind    string
		sheets  int
		devices []string
	}{
		{[]string{"topology.dot"}, "ptm", 0, nil},
		{[]string{"broken.dot"}, "ptm", 0, nil},
		{[]string{"lab.yml"}, "clab", 0, nil},
		{[]string{"air.json"}, "air", 0, nil},
		{[]string{"cables.csv"}, "csv", 0, nil},
		{[]string{"own.csv"}, "csv", 0, nil},
		{[]string{"csv:notes.txt"}, "csv", 0, nil},
		{[]string{"fronts.csv", "cables.csv", "devices.csv"}, "csv", 2, nil},
		{[]string{"collected", "cables.csv"}, "csv", 0, []string{"collected"}},
		{
			[]string{"collected", "tor7-config_db.json", "leaf1-lldp.json", "startup.yaml", "devices.tar.gz", "devices:notes.txt"},
			"", 0,
			[]string{
				"collected", "tor7-config_db.json", "leaf1-lldp.json", "startup.yaml", "devices.tar.gz", "notes.txt",
			},
		},
	} {
		s, err := Look(c.sources, nil, nil)
		require.NoError(t, err, c.sources)
		assert.Equal(t, c.devices, s.Devices, c.sources)
		if c.kind == "" {
			assert.Nil(t, s.Cables, c.sources)
			continue
		}
		require.NotNil(t, s.Cables, c.sources)
		assert.Equal(t, c.kind, s.Cables.Kind.Word, c.sources)
		assert.Len(t, s.Cables.Sheets, c.sheets, c.sources)
	}
	s, err := Look([]string{"netbox:https://nb.example", "collected"}, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "netbox:https://nb.example", s.Inventory)
	for want, sources := range map[string][]string{
		"no such file":                                  {"none.csv"},
		"rocec does not recognize notes.txt":            {"notes.txt"},
		"are two cabling files":                         {"cables.csv", "topology.dot"},
		"both have cables":                              {"cables.csv", "netbox:https://nb.example"},
		"serial.csv has only lines of consoles":         {"cables.csv", "serial.csv"},
		"only one inventory can be read":                {"netbox:https://a.example", "nautobot:https://b.example"},
		"fronts.csv is a sheet of an inventory without": {"fronts.csv", "collected"},
	} {
		_, err := Look(sources, nil, nil)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.Truncate("notes.txt", 50<<20))
	_, err = Look([]string{"notes.txt"}, nil, nil)
	require.ErrorContains(t, err, "has 50 MB")
}
