package topology

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The format is detected from the text of a file. Other text has no format.
func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"graph g { a -- b }":                            "ptm",
		"# c\n/* x\n* y */ // z\nstrict  Graph \"g\" {": "ptm",
		"digraph{":                                                    "ptm",
		"name: lab\ntopology:\n  nodes: {}\n":                         "containerlab",
		`{"nodes": {}, "links": [[{"interface": "a"}]]}`:              "air",
		"\ufeffa,b\nleaf1:swp1,gpu1:eth0\n":                           "csv",
		"sep=;\na;b\n":                                                "csv",
		"# ours\n\nSource;Source Port;Destination;Destination Port\n": "csv",
		"StartDevice\tStartPort\tEndDevice\tEndPort\n":                "csv",
		"device,name,rear_port\npp1,1,R\n":                            InventorySheet,
		"Name;Device Role;Platform\n":                                 InventorySheet,
		"Hostname,ManagementIp,HwSku,Type\ndut1,,x,y\n":               InventorySheet,
		"device,name,mgmt_only":                                       InventorySheet,
		"StartDevice,StartPort,EndDevice,EndPort,BaudRate\n":          OtherSheet,
		"StartDevice;StartPort;EndDevice;Console_type\n":              OtherSheet,
		"StartDevice,StartPort,EndDevice,EndPort,EndFeed\n":           OtherSheet,
		"StartDevice,StartPort,BmcIp,EndDevice,EndPort\n":             OtherSheet,
		`{"PORT": {"Ethernet0": {"lanes": "0"}}}`:                     "",
		`{"lldp": {"interface": []}}`:                                 "",
		"Von,Nach\n":                                                  "",
		"graphite,swp1\n":                                             "",
		"":                                                            "",
		"\x00":                                                        "",
		"PK\x03\x04":                                                  "",
		"[leaves]\nleaf1 ansible_host=192.0.2.1\n":                    "",
	} {
		assert.Equal(t, want, Detect([]byte(text), nil), text)
	}
	assert.Equal(t, "csv", Detect([]byte("Von,Nach\n"), map[string]string{"a": "Von", "b": "Nach"}))
}
