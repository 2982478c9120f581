package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
)

// inventoryToken is the token of the test inventory.
const inventoryToken = "0123456789abcdef0123456789abcdef01234567"

// inventoryServer answers like NetBox 4.1, with the cables of the rows DEVICE:PORT DEVICE:PORT METRES.
func inventoryServer(t *testing.T, rows ...string) *httptest.Server {
	t.Helper()
	ids := map[string]int{}
	var cables, devices []string
	side := func(text string) string {
		device, port, _ := strings.Cut(text, ":")
		if ids[device] == 0 {
			ids[device] = len(ids) + 1
			role, model := "Leaf", "MSN2700-CS2F"
			if strings.HasPrefix(device, "gpu") {
				role, model = "Server", "DGX H100"
			}
			devices = append(devices, fmt.Sprintf(`{"id": %d, "name": %q, "role": {"name": %q}, "device_type": {"model": %q},
"status": {"value": "active"}}`,
				ids[device], device, role, model))
		}
		return fmt.Sprintf(`[{"object_type": "dcim.interface", "object_id": 1, "object": {"id": 1, "name": %q,
"device": {"id": %d, "name": %q}}}]`,
			port, ids[device], device)
	}
	for i, row := range rows {
		w := strings.Fields(row)
		cables = append(cables, fmt.Sprintf(`{"id": %d, "type": "dac-passive", "status": {"value": "connected"}, "a_terminations": %s,
"b_terminations": %s, "length": %s, "length_unit": {"value": "m"}}`, i+1, side(w[0]), side(w[1]), w[2]))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Token "+inventoryToken:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"detail": "Invalid token"}`)
		case strings.HasSuffix(r.URL.Path, "/status/"):
			fmt.Fprint(w, `{"netbox-version": "4.1.3"}`)
		default:
			list := map[string][]string{"/api/dcim/cables/": cables, "/api/dcim/devices/": devices}[r.URL.Path]
			fmt.Fprintf(w, `{"count": %d, "next": null, "results": [%s]}`, len(list), strings.Join(list, ","))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// withToken runs a verb with a token in the environment.
func withToken(t *testing.T, token string, args ...string) (out string, code int) {
	t.Helper()
	var text bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &text, Stderr: &text, Getenv: func(name string) string {
		if name == "NETBOX_TOKEN" {
			return token
		}
		return ""
	}}
	code = run(t.Context(), p, args)
	return text.String(), code
}

// A draft from an inventory is a sound fabric with its sheets, which validate reads without the inventory. No file or message contains
// the token. With files of devices, the classes come from the files, and the lengths from the inventory.
func TestInitFromInventory(t *testing.T) {
	t.Chdir(t.TempDir())
	s := inventoryServer(t, "leaf1:swp1 gpu1:ens1f0 7", "leaf2:swp1 gpu2:ens1f0 2.5", "leaf1:swp32 leaf2:swp32 30")
	out, code := withToken(t, inventoryToken, "init", "--from", "netbox:"+s.URL, "site")
	require.Equal(t, exit.Good, code, out)
	assert.Contains(t, out, "3 cables read from NetBox 4.1.3\n")
	assert.Contains(t, out, "  cables.csv\n  devices.csv\n")
	cables, err := os.ReadFile("site/cables.csv")
	require.NoError(t, err)
	assert.Contains(t, string(cables), "\n2,leaf2,dcim.interface,swp1,gpu2,dcim.interface,ens1f0,dac-passive,connected,2.5,m\n")

	refused, code := withToken(t, "other-token", "init", "--from", "netbox:"+s.URL, "none")
	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, strings.Join(strings.Fields(refused), " "), "refuses /api/status/ with the token of NETBOX_TOKEN: Invalid token")
	none, code := withToken(t, "", "init", "--from", "netbox:"+s.URL, "none")
	assert.Equal(t, exit.Usage, code)
	assert.Contains(t, none, "NETBOX_TOKEN")
	assert.NoDirExists(t, "none")

	s.Close()
	validated, code := withToken(t, "", "validate", "site")
	require.Equal(t, exit.Good, code, validated)
	assert.Contains(t, validated, `fabric "site" is good: 2 switches, 2 hosts, 3 links`)
	gone, code := withToken(t, inventoryToken, "init", "--from", "netbox:"+s.URL, "none")
	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, gone, "cannot be reached")
	assert.NotContains(t, out+refused+gone, inventoryToken)
	assert.NotContains(t, refused, "other-token")
	require.NoError(t, filepath.WalkDir("site", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		assert.NotContains(t, string(data), inventoryToken, name)
		return err
	}))

	// beside files of devices
	_, code = withToken(t, "", "build", "-o", "out", "site")
	require.Equal(t, exit.Good, code)
	for _, leaf := range []string{"leaf1", "leaf2"} {
		require.NoError(t, os.MkdirAll(filepath.Join("collected", leaf), 0o777))
		data, err := os.ReadFile(filepath.Join("out", leaf, "etc/cumulus/datapath/traffic.conf"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("collected", leaf, "traffic.conf"), data, 0o666))
	}
	s = inventoryServer(t, "leaf1:swp1 gpu1:ens1f0 7", "leaf2:swp1 gpu2:ens1f0 2.5", "leaf1:swp32 leaf2:swp32 30")
	out, code = withToken(t, inventoryToken, "init", "--from", "collected", "--from", "netbox:"+s.URL, "both")
	require.Equal(t, exit.Good, code, out)
	cables, err = os.ReadFile("both/cables.csv")
	require.NoError(t, err)
	assert.Equal(t, "a_device,a_port,b_device,b_port,speed,length\nleaf1,swp1,gpu1,ens1f0,,7m\nleaf1,swp32,leaf2,swp32,,30m\n"+
		"leaf2,swp1,gpu2,ens1f0,,2.5m\n", string(cables))
	validated, code = withToken(t, "", "validate", "both", "--device-config", "collected")
	require.Equal(t, exit.Good, code, validated)
	assert.NotContains(t, validated, "conf-fabric-wanted")

	// lengths in switch settings that the inventory lacks
	for _, leaf := range []string{"leaf1", "leaf2"} {
		require.NoError(t, os.MkdirAll(filepath.Join("sonic", leaf), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join("sonic", leaf, "config_db.json"), []byte(`{
"DEVICE_METADATA": {"localhost": {"hostname": "`+leaf+`", "hwsku": "ACS-MSN2700"}},
"PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000"}, "Ethernet4": {"lanes": "4,5,6,7", "speed": "100000"}},
"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}}}`), 0o666))
	}
	s = inventoryServer(t, "leaf1:Ethernet0 gpu1:ens1f0 null", "leaf2:Ethernet0 gpu2:ens1f0 2.5", "leaf1:Ethernet4 leaf2:Ethernet4 null")
	out, code = withToken(t, inventoryToken, "init", "--from", "sonic", "--from", "netbox:"+s.URL, "back")
	require.Equal(t, exit.Good, code, out)
	assert.Contains(t, out, "2 lengths in cables-writeback.csv, which the inventory lacks: they follow from the settings of switches.")
	back, err := os.ReadFile("back/cables-writeback.csv")
	require.NoError(t, err)
	assert.Equal(t, "id,length,length_unit\n1,5,m\n3,40,m\n", string(back))
	assert.NoFileExists(t, "both/cables-writeback.csv")
}
