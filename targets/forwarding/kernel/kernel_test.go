package kernel

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const kernelText = `/proc/sys/net/ipv4/ip_forward:1
/proc/sys/net/ipv6/conf/all/forwarding:0
/proc/sys/net/ipv4/neigh/default/base_reachable_time_ms:30000
/proc/sys/net/ipv4/neigh/vlan10/base_reachable_time_ms:1080000
/proc/sys/net/ipv4/neigh/eth0/base_reachable_time_ms:7200000
mac age 600
processes visible
daemon bgpd
daemon zebra
end
`

// The kernel states whether it forwards, how long it trusts a neighbour, and which routing daemons run.
func TestKernelValues(t *testing.T) {
	k, err := Read([]byte(kernelText))
	require.NoError(t, err)
	assert.True(t, k.Forwards)
	assert.False(t, k.Forwards6)
	assert.True(t, k.Processes)
	assert.Equal(t, []string{"bgpd", "zebra"}, k.Daemons)
	assert.Equal(t, 27*time.Minute, k.ARP(), "one and a half of 18 minutes; the port for management does not count")
	assert.Equal(t, 10*time.Minute, k.Age)
	more, err := Read([]byte(strings.Replace(kernelText, "end\n", "daemon HUNTER2\nHUNTER2\nend\n", 1)))
	require.NoError(t, err)
	assert.Equal(t, k, more)
	assert.NotContains(t, string(more.Kept()), "HUNTER2")
	again, err := Read(k.Kept())
	require.NoError(t, err)
	assert.Equal(t, k, again)
	for n := range len(kernelText) - 1 {
		_, err := Read([]byte(kernelText[:n]))
		require.Error(t, err, "%d", n)
	}
	k, err = Read([]byte("/proc/sys/net/ipv4/ip_forward:0\n/proc/sys/net/ipv4/neigh/default/base_reachable_time_ms:30000\nend\n"))
	require.NoError(t, err)
	assert.Equal(t, 45*time.Second, k.ARP(), "the value for new interfaces")
	assert.False(t, k.Processes)
}

// The command answers on this machine, in the form that is read.
func TestAsk(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "sh", "-c", Ask).Output()
	require.NoError(t, err)
	a, err := Read(out)
	require.NoError(t, err, "%s", out)
	own, err := os.ReadFile("/proc/self/comm")
	require.NoError(t, err)
	assert.NotContains(t, string(out), "daemon "+string(own))
	for line := range strings.Lines(string(out)) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "daemon "); is {
			assert.Contains(t, Daemons(), name, "names of other programs do not leave the device")
		}
	}
	assert.NotZero(t, a.ARP())
	for _, name := range Daemons() {
		assert.LessOrEqual(t, len(name), 15, "the kernel cuts the name of a program at 15 characters")
	}
}

// Reading ends for every text, and a kept one is read as before.
func FuzzKernel(f *testing.F) {
	f.Add([]byte(kernelText))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := Read(data)
		if err != nil {
			return
		}
		again, err := Read(k.Kept())
		require.NoError(t, err)
		require.Equal(t, k, again)
	})
}
