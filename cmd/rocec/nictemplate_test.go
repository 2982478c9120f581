package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// The form nic-template wants the number of virtual functions, and its flags belong to it. Its notes name what it cannot state.
func TestNICTemplateFlags(t *testing.T) {
	dir, out := "../../examples/gpu-pod", t.TempDir()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--as", "nic-template"}, "--as nic-template needs --vfs N"},
		{[]string{"--as", "nic-template", "--vfs", "-1"}, "--vfs -1 is no number of virtual functions"},
		{[]string{"--as", "nic-template", "--vfs", "1", "--node-label", "a: b"}, "is no key of a label of Kubernetes"},
		{[]string{"--as", "overlay", "--vfs", "1"}, "--vfs needs --as nic-template"},
		{[]string{"--node-label", "a"}, "--node-label needs --as nic-template"},
	} {
		code, _, stderr := rocec(t, append([]string{"build", "-o", out, dir}, c.args...)...)
		assert.Equal(t, exit.Usage, code, c.says)
		assert.Contains(t, strings.Join(strings.Fields(stderr), " "), c.says)
	}
	code, stdout, stderr := rocec(t, "build", "--as", "nic-template", "--vfs", "8", "--node-label", "roce", "-o", out, dir)
	require.Equal(t, exit.Good, code, stderr)
	assert.Contains(t, stdout, "16 hosts, 1 file written")
	assert.Contains(t, stderr, "cannot state dcbx, dscp_prio, ets_bw")
	code, _, stderr = rocec(t, "build", "--as", "nic-template", "--vfs", "8", "-o", t.TempDir(), "../../examples/clos-v2-ecn")
	assert.Equal(t, exit.Errors, code)
	assert.Contains(t, stderr, "No template describes gpu[001-064]: ens1f0: DSCP 26 (rdma) needs priority 4")
}

// The templates that build writes are good for verify --from, and an edit is drift. The NicDevices of all nodes in one file are the hosts
// of the fabric.
func TestNICTemplateFrom(t *testing.T) {
	dir, out := "../../examples/gpu-pod", t.TempDir()
	code, _, stderr := rocec(t, "build", "--as", "nic-template", "--vfs", "8", "-o", out, dir)
	require.Equal(t, exit.Good, code, stderr)
	verify := func(from string, more ...string) (int, string) {
		code, stdout, stderr := rocec(t, append([]string{"verify", "--from", from, "--target", "host.gpu", dir}, more...)...)
		return code, strings.Join(strings.Fields(stdout+stderr), " ")
	}
	code, text := verify(out)
	assert.Equal(t, exit.Good, code, text)
	assert.Contains(t, text, "no value in the files differs; the files do not state DSCP to cos")
	file := filepath.Join(out, "gpu[01-16].yaml")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	edited := strings.Replace(string(written), `pfc: "0,0,0,1,`, `pfc: "0,0,1,0,`, 1)
	require.NotEqual(t, string(written), edited)
	require.NoError(t, os.WriteFile(file, []byte(edited), 0o600))
	code, text = verify(out)
	assert.Equal(t, exit.Errors, code)
	assert.Contains(t, text, "neither sends nor obeys its pauses")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(edited, "trust:", "trusts:", 1)), 0o600))
	code, text = verify(out)
	assert.Equal(t, exit.Errors, code)
	assert.Contains(t, text, "the schema of the operator has no such field")

	nodes := filepath.Join(t.TempDir(), "nicdevices.yaml")
	var all strings.Builder
	all.WriteString("apiVersion: v1\nitems:\n")
	for _, node := range []string{"gpu01", "gpu02.example.com", "other"} {
		pfc := map[bool]string{true: "0,0,1,0,0,0,0,0", false: "0,0,0,1,0,0,0,0"}[node == "gpu02.example.com"]
		all.WriteString(strings.NewReplacer("NODE", node, "PFC", pfc).Replace(nicDeviceItem))
	}
	all.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	require.NoError(t, os.WriteFile(nodes, []byte(all.String()), 0o600))
	code, text = verify(nodes, "--format", "json")
	assert.Equal(t, exit.Machines, code, "hosts without an object are unknown")
	for _, host := range []string{`"gpu01", "status": "other"`, `"gpu02", "status": "drift"`, `"gpu03", "status": "unknown"`} {
		assert.Contains(t, strings.ReplaceAll(text, `"name": `, ""), host)
	}
}

// Audit reads NicDevices beside the files of switches: a host that does not pause the lossless class is a finding at its line.
func TestAuditNICDevices(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../internal/site/demo")))
	require.NoError(t, os.Remove(filepath.Join(dir, "gpu03", "mlnx_qos.txt")))
	list := "apiVersion: v1\nitems:\n" +
		strings.NewReplacer("NODE", "gpu03", "PFC", "0,0,0,0,0,0,0,0", "rail1", "ens1f0").Replace(nicDeviceItem) +
		strings.NewReplacer("NODE", "gpu01", "PFC", "0,0,0,1,0,0,0,0", "rail1", "ens1f0").Replace(nicDeviceItem) + "kind: List\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nicdevices.yaml"), []byte(list), 0o600))
	code, stdout, stderr := rocec(t, "audit", dir, "--format", "github")
	assert.Equal(t, exit.Errors, code, stderr)
	var found []string
	for line := range strings.Lines(stdout) {
		if strings.Contains(line, "nicdevices.yaml/gpu03.yaml,line=17") && strings.Contains(line, "conf-fabric-lossless") {
			found = append(found, line)
		}
	}
	require.Len(t, found, 1, stdout)
	assert.Contains(t, found[0], "At ens1f0 of gpu03")
}

// nicDeviceItem is an element of a list of kubectl.
const nicDeviceItem = `- apiVersion: configuration.net.nvidia.com/v1alpha1
  kind: NicDevice
  metadata:
    name: NODE-1021
  spec:
    configuration:
      template:
        linkType: Ethernet
        numVfs: 8
        roceOptimized:
          enabled: true
          qos:
            cableLen: 5
            pauseFrames:
              enabled: false
            pfc: PFC
            tos: 104
            trust: dscp
  status:
    dpu: false
    firmwareVersion: 28.42.1000
    modelName: ConnectX-7
    node: NODE
    partNumber: MCX75310AAS-NEAT
    ports:
    - networkInterface: rail1
      pci: "0000:04:00.0"
    - networkInterface: rail2
      pci: "0000:05:00.0"
    - networkInterface: rail3
      pci: "0000:06:00.0"
    - networkInterface: rail4
      pci: "0000:07:00.0"
    psid: MT_0000000838
    serialNumber: MT2232T13210
    superNIC: false
    type: "1021"
`
