package ssh_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/target"
)

// TestBusyServer: rocec reaches many devices through one sshd that accepts three logins at a time and drops the rest. It connects
// directly, with sshd as a jump host, and by the ssh program.
func TestBusyServer(t *testing.T) {
	for _, c := range []struct {
		name    string
		devices int
		jump    bool
		program bool
	}{
		{"directly", 50, false, false},
		{"jump host", 20, true, false},
		{"ssh program", 10, false, true},
		{"ssh program, jump host", 8, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			busy := sshdtest.Start(t, sshdtest.Options{Daemon: true, Config: []string{"MaxStartups 3:100:5"}})
			end := busy
			if c.jump {
				end = sshdtest.Start(t, sshdtest.Options{Daemon: true, Config: []string{"MaxStartups 3:100:5"}})
			}
			cfg := byProgram(t, end, "IdentityFile "+busy.ClientKey.Path+"\n", end.KnownHostsLine("ed25519")+busy.KnownHostsLine("ed25519"))
			d := newDialer(t, cfg)
			connect := func(i int) {
				dev := &target.Device{Name: fmt.Sprintf("leaf%03d", i), Login: target.Login{Address: end.Host, Port: end.Port}}
				if c.program {
					dev.Login.Transport = "openssh"
				}
				if c.jump {
					dev.Login.Jump = at(busy)
				}
				conn, err := d.Dial(t.Context(), dev)
				if assert.NoError(t, err) {
					assert.NoError(t, conn.Close())
				}
			}
			// A dropped connection is tried again for 13 s. On a slow machine the number of devices is lower, so that the server can
			// accept all of them in this time.
			begin := time.Now()
			connect(0)
			devices := min(c.devices, max(6, int(10*time.Second/time.Since(begin))))
			if devices < c.devices {
				t.Logf("a connection takes %s: %d devices instead of %d", time.Since(begin), devices, c.devices)
			}
			var wait sync.WaitGroup
			for i := range devices {
				wait.Go(func() { connect(i) })
			}
			wait.Wait()
			t.Logf("%d connections were dropped", strings.Count(end.Log(), "drop connection")+strings.Count(busy.Log(), "drop connection"))
		})
	}
}
