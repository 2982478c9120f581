package rollout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// TestSudoPassword: sudo asks for a password, does not ask for it, or rejects a wrong one. The password never reaches a file or a script.
func TestSudoPassword(t *testing.T) {
	const secret = "correct horse"
	const free = `:`
	for name, c := range map[string]struct {
		sudo    string // sudo's reaction to a password; -n is refused if free is empty
		outcome deploy.Outcome
		says    string
	}{
		"asks": {
			`IFS= read -r given; [ "$given" = "` + secret + `" ] || { echo "sudo: 1 incorrect password attempt" >&2; exit 1; }`,
			deploy.Applied, "",
		},
		"does not ask": {free, deploy.Applied, ""},
		"wants another": {
			`IFS= read -r given; echo "sudo: 1 incorrect password attempt" >&2; exit 1`, deploy.Refused,
			"sudo: 1 incorrect password attempt",
		},
		"speaks German": {
			`IFS= read -r given; echo "sudo: 1 falscher Passwortversuch" >&2; exit 1`, deploy.Refused,
			"1 falscher Passwortversuch",
		},
	} {
		if name == "speaks German" && !*whole {
			continue // the output of sudo is passed on, in English
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bs := newBoxes(t, 2)
			for _, b := range bs.all {
				b.Stub("id", `[ -n "${AS_ROOT:-}" ] && echo 0 || echo 1000`)
				b.Stub("sudo", `echo asked >>`+b.Root+`/run/asked
case "$1 $2 $3$4" in
"-k -S -p") echo sent >>`+b.Root+`/run/sent ;;
esac
case "$1 $2 $3$4" in
"-k -S -p") shift 4 ;;
"-n sh -c"*) shift 1; `+map[bool]string{true: ":", false: "exit 1"}[c.sudo == free]+` ;;
"-n true "*) exit `+map[bool]string{true: "0", false: "1"}[c.sudo == free]+` ;;
"-k -n true") `+map[bool]string{true: "exit 0", false: "exit 1"}[c.sudo == free]+` ;;
*) exit 99 ;;
esac
`+c.sudo+`
AS_ROOT=yes exec "$@"`)
				require.NoError(t, os.MkdirAll(b.Root+"/home", 0o755))
				b.Home, b.Own = b.Root+"/home", true
			}
			sudo, err := device.NewSudo(secret, bs.all[0].Dev.Name, bs.all[1].Dev.Name)
			require.NoError(t, err)
			obs := rollout.Observe(t.Context(), bs.dial, bs.tree, rollout.ObserveOptions{Sudo: sudo, Parallel: 1})
			plan := deploy.Diff(bs.tree, obs)
			rep, err := rollout.Apply(t.Context(), bs.dial, plan, rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak, Sudo: sudo})
			require.NoError(t, err)
			for i, b := range bs.all {
				r := rep.Devices[i]
				require.Equal(t, c.outcome, r.Outcome, "%v", r.Err)
				if c.says != "" && i == 0 {
					require.Contains(t, r.Err.Detail, c.says)
				}
				if c.says != "" && i == 1 {
					require.Empty(t, b.Read("/run/asked"), "a wrong password is tried once")
					require.Contains(t, r.Err.Detail, "sudo on another device did not accept the password")
				}
				if c.sudo == free {
					require.Empty(t, b.Read("/run/sent"), "the password goes where sudo asks for it")
				}
				requireNowhere(t, b.Root, secret)
				left, err := os.ReadDir(b.Home)
				require.NoError(t, err)
				require.Empty(t, left)
			}
		})
	}
}

// requireNowhere searches every file below a folder for a text, except programs.
func requireNowhere(t *testing.T, root, text string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(p, root+"/bin/") {
			return err
		}
		data, err := os.ReadFile(p)
		require.NotContains(t, string(data), text, p)
		return err
	}))
}

// Readable files need no root. Other files are read if lines of sudoers allow it, or are reported.
func TestReadingWithoutRoot(t *testing.T) {
	b := newBox(t, "leaf01")
	b.Stub("id", "echo 1000")
	b.Stub("sudo", `[ "$1" = -n ] || exit 99
shift
case "$*" in
"cat `+b.Root+`/etc/app/conf") exec /bin/cat "$2" ;;
esac
echo "sudo: a password is required" >&2
exit 1`)
	require.Equal(t, deploy.StatusChange, b.plan(t).Devices[0].Status)
	require.Equal(t, deploy.Permission, b.apply(t, b.plan(t)).Err.Kind, "but writing does")
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
}

// asking makes the sudo of a box ask for a password and record each password. If right is empty, any password is right.
func asking(t *testing.T, b box, right string) {
	t.Helper()
	b.Stub("id", `[ -n "${AS_ROOT:-}" ] && echo 0 || echo 1000`)
	b.Stub("sudo", `case "$1 $2" in
"-k -S") shift 4 ;;
*) exit 1 ;;
esac
IFS= read -r given
echo "$given" >>`+b.Root+`/run/given
[ -z "`+right+`" ] || [ "$given" = "`+right+`" ] || { echo "sudo: 1 incorrect password attempt" >&2; exit 1; }
AS_ROOT=yes exec "$@"`)
	require.NoError(t, os.MkdirAll(b.Root+"/home", 0o755))
	b.Home = b.Root + "/home"
}

// Each device must accept the password itself; the answer of one device has no effect on the others. After the first refusal, devices
// that have not accepted the password yet do not get it any more. Devices beside the plan never get it.
func TestSudoPasswordOfOneDeviceOpensNoOther(t *testing.T) {
	bs := newBoxes(t, 5)
	for i, right := range []string{"", "secret", "another", "secret", "secret"} { // the first device accepts any password
		asking(t, bs.all[i], right)
	}
	name := func(i int) string { return bs.all[i].Dev.Name }
	sudo, err := device.NewSudo("secret", name(0), name(1), name(2), name(3))
	require.NoError(t, err)
	read := func() []*deploy.Have {
		return rollout.Observe(t.Context(), bs.dial, bs.tree, rollout.ObserveOptions{Sudo: sudo, Parallel: 1}).Devices
	}
	found := read()
	require.Nil(t, found[0].Err)
	require.Nil(t, found[1].Err)
	require.Equal(t, deploy.Permission, found[2].Err.Kind)
	require.Contains(t, found[2].Err.Detail, "sudo: 1 incorrect password attempt")
	require.Contains(t, found[3].Err.Detail,
		"sudo on another device did not accept the password, so it is not tried here: "+name(2)+" refused it")
	require.Nil(t, found[4].Err, "it is read as far as who logs in may")
	require.Equal(t, "secret\n", bs.all[2].Read("/run/given"), "once")
	for _, i := range []int{3, 4} {
		require.Empty(t, bs.all[i].Read("/run/given"), name(i))
	}

	found = read()
	require.Nil(t, found[0].Err, "those that have taken it go on")
	require.Equal(t, "secret\n", bs.all[2].Read("/run/given"), "a device that has refused it is not asked again")

	// Another machine under the name of a device has not accepted the password.
	asking(t, bs.all[1], "another")
	bs.all[1].Key = "SHA256:other"
	given := bs.all[1].Read("/run/given")
	require.Equal(t, deploy.Permission, read()[1].Err.Kind)
	require.Equal(t, given, bs.all[1].Read("/run/given"))
}

// A device whose host key is not verified does not get the password, because there is no connection.
func TestSudoPasswordWaitsForHostKey(t *testing.T) {
	m := newMachine(t)
	asking(t, m.box, "secret")
	for key, says := range map[string]string{
		"": "is not known", sshdtest.NewKey(t, "ed25519", "").Fingerprint: "another machine answers in its place",
	} {
		m.Dev.Login.HostKey = key
		sudo, err := device.NewSudo("secret", m.Dev.Name)
		require.NoError(t, err)
		found := rollout.Observe(t.Context(), m.dial, m.tree(), rollout.ObserveOptions{Sudo: sudo}).Devices
		require.Contains(t, found[0].Err.Detail, says)
		require.Empty(t, m.Read("/run/given"))
	}
	m.Dev.Login.HostKey, m.Dev.Login.User = m.sshd.HostKeyPin(), ""
	sudo, err := device.NewSudo("secret", m.Dev.Name)
	require.NoError(t, err)
	found := rollout.Observe(t.Context(), m.dial, m.tree(), rollout.ObserveOptions{Sudo: sudo}).Devices
	require.Nil(t, found[0].Err)
	require.NotEmpty(t, m.Read("/run/given"), "and then it does")
}
