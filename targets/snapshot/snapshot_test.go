package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func manifestOfTest() *Manifest {
	at := time.Date(2026, 11, 27, 14, 2, 0, 0, time.UTC)
	return &Manifest{Tool: "0.1.0", By: "ops@jump1", Devices: []Device{
		{Name: "leaf10", When: at.Add(time.Minute), Answers: []Answer{{File: "leaf10/lldp.json", SHA256: Sum([]byte("b")), Size: 1}}},
		{Name: "leaf2", When: at, Host: "leaf2.dc1", Answers: []Answer{
			{File: "leaf2/traffic.conf", SHA256: Sum([]byte("a")), Size: 1}, {File: "leaf2/lldp.json", Failed: "exit status 1"},
		}},
	}}
}

// A manifest is read back as it was written, in natural order.
func TestManifest(t *testing.T) {
	m := manifestOfTest()
	m.Sort()
	data, err := m.Bytes()
	require.NoError(t, err)
	back, err := Read(data)
	require.NoError(t, err)
	require.Equal(t, m, back)
	require.Equal(t, []string{"leaf2", "leaf10"}, []string{back.Devices[0].Name, back.Devices[1].Name})
	again, err := back.Bytes()
	require.NoError(t, err)
	require.Equal(t, string(data), string(again))
}

func TestBadManifests(t *testing.T) {
	device := `{"format_version": "1.0", "devices": [%s]}`
	for text, says := range map[string]string{
		`{}`:                                    "it has no format_version",
		`[]`:                                    "it is no manifest of a snapshot",
		`{"format_version": "2.0"}`:             "it has the format 2.0, and this rocec reads 1.0",
		fmt.Sprintf(device, `{"name": "../x"}`): `it lists a device twice, or without a valid name: "../x"`,
		fmt.Sprintf(device, `{"name": "a"}, {"name": "a"}`):                          `it lists a device twice`,
		fmt.Sprintf(device, `{"name": "a", "answers": [{"file": "../x"}]}`):          `it lists a file twice, or with an invalid path: "../x"`,
		fmt.Sprintf(device, `{"name": "a", "answers": [{"file": "/x"}]}`):            `it lists a file twice, or with an invalid path: "/x"`,
		fmt.Sprintf(device, `{"name": "a", "answers": [{"file": "."}]}`):             `it lists a file twice, or with an invalid path: "."`,
		fmt.Sprintf(device, `{"name": "a", "answers": [{"file": "snapshot.json"}]}`): `or with an invalid path: "snapshot.json"`,
		fmt.Sprintf(device, `{"name": "a", "answers": [{"file":"x"},{"file":"x"}]}`): `it lists a file twice`,
	} {
		_, err := Read([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
	_, err := Read(make([]byte, MaxManifest+1))
	require.EqualError(t, err, "it is larger than 32 MiB")
}

// Files that are swapped, missing, or from another collection are named.
func TestJudge(t *testing.T) {
	a, b := Sum([]byte("a")), Sum([]byte("b"))
	m := manifestOfTest()
	require.Empty(t, m.Judge(map[string]string{"leaf2/traffic.conf": a, "leaf10/lldp.json": b}))
	require.Equal(t, map[string]string{"leaf2/traffic.conf": otherBytes, "leaf10/lldp.json": otherBytes},
		m.Judge(map[string]string{"leaf2/traffic.conf": b, "leaf10/lldp.json": a}), "swapped")
	require.Equal(t, map[string]string{"leaf2/traffic.conf": notThere, "leaf3/lldp.json": notListed},
		m.Judge(map[string]string{"leaf3/lldp.json": a, "leaf10/lldp.json": b}))
}

func TestSays(t *testing.T) {
	m := manifestOfTest()
	require.Equal(t, []string{"The devices were asked on 2026-11-27 14:02 UTC."}, m.Says())
	m.Devices[0].When = m.Devices[0].When.Add(72 * time.Hour)
	m.Devices[0].Host, m.Devices[0].Clock, m.Masked = "tor9", -3600, true
	m.Devices = append(m.Devices, Device{Name: "leaf06", Failed: "no route to host."}, Device{Name: "leaf07", Failed: "no route to host."},
		Device{Name: "192.0.2.1", Host: "spine1"})
	require.Equal(t, []string{
		"The devices were asked from 2026-11-27 14:02 to 2026-11-30 14:03 UTC. A change made in between is visible on only some of them.",
		"There is no answer from leaf[06-07]: no route to host.",
		"The clock of leaf10 is more than 5 minutes off.",
		"leaf10 calls itself tor9.",
		"Names and addresses are masked.",
	}, m.Says())
}

func TestValidName(t *testing.T) {
	for name, valid := range map[string]bool{
		"leaf01": true, "192.0.2.1": true, "fe80::1": true, "a@b": true, "": false, ".": false, "..": false, ".x": false,
		"-o": false, "a/b": false,
		"a b": false, "ü": false, "a\x1b": false, Name: false, strings.Repeat("a", 256): false,
	} {
		require.Equal(t, valid, ValidName(name), name)
	}
}
