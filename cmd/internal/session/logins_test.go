package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// TestLogins: the fabric of a run decides how devices are reached. If it cannot be read, the journal decides, without its host keys.
func TestLogins(t *testing.T) {
	dir := t.TempDir()
	hcl := judgetest.Rack(`version = "4.3.0"`) + "\nssh {\n  user = \"admin\"\n  port = 2222\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(hcl), 0o600))
	pin := "SHA256:" + strings.Repeat("A", 43)
	log := func(fabric string, login journal.Login) *journal.Log {
		return &journal.Log{Header: journal.Header{
			Run: "run-1", Fabric: fabric, Name: "rack", Devices: []journal.Device{{Name: "tor", Login: login}, {Name: "gone", Login: login}},
		}}
	}
	var stderr bytes.Buffer
	s := New(globals.New(&person.Person{Getenv: func(string) string { return "" }, Stderr: &stderr}, globals.Build{}), device.Clock{})
	stranger := journal.Login{Address: "192.0.2.66", User: "root", HostKey: pin}
	l := log(dir, stranger)
	require.NoError(t, s.logins(l))
	assert.Equal(t, journal.Login{User: "admin", Port: 2222}, l.Devices[0].Login)
	assert.Equal(t, journal.Login{Address: "192.0.2.66", User: "root"}, l.Devices[1].Login, "it has left the fabric")
	assert.Contains(t, strings.Join(strings.Fields(stderr.String()), " "),
		"The login of tor in the fabric in "+dir+" differs from the journal of run run-1.")
	for _, fabric := range []string{t.TempDir(), filepath.Join(dir, "nowhere")} {
		stderr.Reset()
		l = log(fabric, stranger)
		require.NoError(t, s.logins(l))
		assert.Empty(t, l.Devices[0].Login.HostKey)
		assert.Equal(t, "192.0.2.66", l.Devices[0].Login.Address)
		assert.Contains(t, strings.Join(strings.Fields(stderr.String()), " "),
			"rocec uses the logins of the journal, but not its host keys. It uses those of known_hosts.")
	}
	l = log(dir, stranger)
	l.Name = "another"
	require.NoError(t, s.logins(l))
	assert.Empty(t, l.Devices[0].Login.HostKey, "it is another fabric")
	for _, login := range []journal.Login{
		{Address: "-oProxyCommand=touch evil"},
		{Address: "a b"},
		{User: "-l"},
		{Jump: "-x"},
		{Jump: "a;b"},
		{HostKey: "x"},
		{Transport: "sh"},
		{Port: 99999},
		{Port: -1},
		{User: "a\nb"},
	} {
		require.ErrorContains(t, s.logins(log(dir, login)), "was changed by hand", "%+v", login)
	}
	l = log(dir, journal.Login{})
	l.Devices[0].Name = "-oProxyCommand=x"
	require.Equal(t, "a device has a name that is invalid in a fabric", badDevices(l))
}
