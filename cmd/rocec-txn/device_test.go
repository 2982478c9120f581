package main

import (
	"bytes"
	"crypto/fips140"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/targets/deploy/order"
)

// TestOnDevice has the paths of a device, and no variable of the caller. It does not run beside other tests, since it takes their
// variables, too.
func TestOnDevice(t *testing.T) { //nolint:paralleltest // see above
	before := os.Environ()
	t.Setenv("TZ", "Pacific/Kiritimati")
	g := onDevice()
	left := os.Environ()
	for _, row := range before {
		name, value, _ := strings.Cut(row, "=")
		require.NoError(t, os.Setenv(name, value)) //nolint:usetesting // it puts back what was there
	}
	require.Empty(t, left)
	require.Equal(t, []string{"/etc/rocec/allowed_signers", "/var/lib/rocec", "/etc/ssh", "/"}, []string{g.signers, g.state, g.keys, g.top})
	require.Zero(t, g.owner)
	require.Equal(t, []string{
		"/etc/sudoers.d/rocec-txn", "/etc/rocec/allowed_signers",
		"/usr/libexec/rocec-txn",
	}, g.away, "the line of sudoers goes first, and the program last")
}

// TestUnbound lifts the limits of the login, in a process of its own.
func TestUnbound(t *testing.T) {
	t.Parallel()
	if os.Getenv("ROCEC_TEST_UNBOUND") == "" {
		cmd := exec.Command("sh", "-c", `ulimit -S -n 64 && ulimit -S -f 100000 && ulimit -S -t 1000 && ulimit -S -s 1024 && exec "$0" "$@"`,
			os.Args[0], "-test.run=^TestUnbound$")
		cmd.Env = append(os.Environ(), "ROCEC_TEST_UNBOUND=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	require.NoError(t, unbound())
	for limit, least := range map[int]uint64{
		syscall.RLIMIT_CPU: math.MaxUint64, syscall.RLIMIT_FSIZE: math.MaxUint64, syscall.RLIMIT_STACK: 8 << 20, syscall.RLIMIT_NOFILE: 1024,
	} {
		var now syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(limit, &now))
		require.GreaterOrEqual(t, now.Cur, least, "limit %d", limit)
	}
}

// TestScript runs a script in an environment of its own, with its arguments and stdin, and passes on its end.
func TestScript(t *testing.T) { //nolint:paralleltest // it sets a variable
	t.Setenv("BASH_ENV", "/tmp/evil")
	t.Setenv("IFS", "/")
	t.Setenv("PATH", t.TempDir()+":"+os.Getenv("PATH"))
	var out, errs bytes.Buffer
	const script = `printf '%s|' "$0" "$@"; pwd; cat; echo bad >&2; tr '\0' '\n' </proc/$$/environ; exit 3`
	err := runScript(script, []string{"a b", "-x"}, strings.NewReader("in\n"), &out, &errs)
	require.EqualError(t, err, "exit status 3")
	require.Equal(t, "bad\n", errs.String())
	require.Equal(t, "rocec|a b|-x|/\nin\n"+
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\nHOME=/root\n", out.String())
	out.Reset()
	require.NoError(t, runScript("cat; echo end", nil, nil, &out, &errs))
	require.Equal(t, "end\n", out.String())
}

// aRun and aSum have the forms of a run and of a SHA-256.
const (
	aRun = "20261130t115900z-3f9a"
	aSum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func a(n int) string { return strings.Repeat("a", n) }

// formTexts has texts at and beyond the bounds of each form.
var formTexts = map[string]struct {
	is        func(string) bool
	good, bad []string
}{
	"mark": {
		isMark,
		[]string{"rocec-" + strings.Repeat("A", 20), "rocec-" + strings.Repeat("7", 40)},
		[]string{"rocec-A", "rocec-" + strings.Repeat("A", 41), a(26), "rocec-" + a(20)},
	},
	"run": {
		isRun,
		[]string{aRun, "run-", a(4), a(63)},
		[]string{"", "run", a(64), "-run", "RUN-1", "run_1", "run.1", "run-1 ", "run-1\n"},
	},
	"key":     {isKey, []string{"a", "ab12", a(59)}, []string{"", a(60), "-a", "A", "a b", "a\n"}},
	"sum":     {isSum, []string{aSum}, []string{"", aSum[1:], aSum + "0", strings.ToUpper(aSum), "absent"}},
	"given":   {isGiven, []string{"", aSum}, []string{aSum[1:], aSum + "0", "absent"}},
	"verb":    {isVerb, []string{"commit", "confirm", "undo", "release", "state"}, []string{"", "extend", "prepare", "undo ", "states"}},
	"seconds": {isSeconds, []string{"1", "3456000"}, []string{"", "0", "01", "3456001", "100000000", "-1", "1.5", "+1"}},
	"over":    {isOver, []string{"", aRun}, []string{"run", a(64), "-run"}},
	"holder": {
		isHolder,
		[]string{"?", aRun, aRun + " ab12"},
		[]string{"", "??", aRun + " ", aRun + " ab12 x", aRun + "  a", aRun + " " + a(61), aRun + "\n"},
	},
	"text": {
		isText,
		[]string{"", "a", a(501), "alice@ws7, process 1", "ä-", "$(x)"},
		[]string{"-", "-x", a(502), "a\nb", "a\x1b", "\x00"},
	},
	"target": {isTarget, []string{"absent", aSum}, []string{"", "absents", aSum[1:]}},
	"state": {
		isState,
		[]string{"a", "nic/ens1f0", "a.b/c:d", a(64) + "/" + a(64)},
		[]string{"", "/a", ".a", "a/.b", "a/b/c", "a/", "..", a(65), "a/" + a(65)},
	},
	"kept": {
		isKept,
		[]string{"/var/lib/rocec/backup/run-1/0", "/var/lib/rocec/backup/run-1/live.0", "/var/lib/rocec/txn-run-1/live/nic/ens1f0"},
		[]string{
			"", "/var/lib/rocec/backup/run-1", "/var/lib/rocec/backup/run-1/", "/var/lib/rocec/backup/run-1/a/..", "/var/lib/rocec/orders",
			"/var/lib/rocec/backup/run-1/a/../../../../../etc/shadow", "/var/lib/rocec/backup/run-1/.a", "/var/lib/rocec/backup/../x/a",
			"/etc/shadow", "/var/lib/rocec/txn-../a/b", "/var/lib/rocec/txn-run-1/a b", "/var/lib/rocec/txn-run-1/" + a(202),
			"x/var/lib/rocec/backup/run-1/0",
		},
	},
	"folder": {
		isFolder,
		[]string{"/", "/etc", "/etc/rocec/host", "/" + a(300)},
		[]string{"", "etc", "/etc/", "/etc/../x", "//", "/a b", "/a;b", "/" + a(301)},
	},
	"name": {
		isName,
		[]string{"sonic rows", "mlx5 show ens1f0,vlan=1", "a " + a(4094)},
		[]string{"", "sonic", "sonic  rows", " rows", "sonic ", "Sonic rows", "sonic $(x)", "sonic a\nb", "a " + a(4095)},
	},
	"path": {
		knownPath,
		[]string{conf, "/usr/local/sbin/rocec-host", "/etc/rocec/host/ens1f0.conf"},
		[]string{"", "/etc/shadow", "/etc/rocec/allowed_signers", "/etc/rocec/host/../a.conf", conf + "/"},
	},
}

// formsOf has the form of each argument of each verb.
var formsOf = map[string]string{
	"cat": "path", "query": "mark name", "state": "folder", "given": "mark run sum", "held": "mark run",
	"kept": "mark kept", "records": "mark",
	"call": "run key given verb text given", "extend": "run key given seconds", "unlock": "holder text", "sweep": "run text",
	"mark": "run key text seconds over", "unmark": "run key over",
}

// TestForms judges texts by each form, and by each verb that has an argument of the form.
func TestForms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, one := range formTexts {
		for _, text := range one.good {
			require.True(t, one.is(text), "%s: %.80q", name, text)
		}
		for _, text := range one.bad {
			require.False(t, one.is(text), "%s: %.80q", name, text)
		}
	}
	require.Len(t, formsOf, len(verbs)-3)
	for verb, forms := range formsOf {
		for i, form := range strings.Fields(forms) {
			require.Contains(t, formTexts, form)
			for _, text := range formTexts[form].bad {
				args := slices.Clone(good[verb])
				args[i] = text
				status, said := b.call(nil, append([]string{verb}, args...)...)
				require.Equal(t, 1, status, "%s %q", verb, args)
				require.Contains(t, said, "is not valid")
			}
		}
	}
	require.Empty(t, b.ran)
	require.Equal(t, []uint32{0o600, 0o640, 0o644, 0o755}, modes)
	require.Equal(t, 40*24*60*60, mostSeconds)
	require.Equal(t, []int{1 << 20, 1 << 20}, []int{maxFile, mostAbout})
}

// TestVerbs has the number and the forms of the arguments of each verb.
func TestVerbs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for verb, args := range good {
		if verb == "cat" {
			continue // it reads a file of the device
		}
		many := verb == "state" || verb == "kept"
		for n := range len(args) + 3 {
			given := slices.Concat(args, []string{args[len(args)-1], args[len(args)-1]})[:n]
			b.ran = nil
			status, said := b.call(nil, append([]string{verb}, given...)...)
			if fits := n == len(args) || many && n > 0 && (n > 1 || verb == "state"); fits {
				require.Zero(t, status, "%s %q: %s", verb, given, said)
			} else {
				require.Equal(t, 1, status, "%s %q", verb, given)
				require.Contains(t, said, "rocec-fail gate\n")
				require.Empty(t, b.ran)
			}
		}
	}
	for _, verb := range []string{"hello", "prepare", "remove"} {
		status, said := b.call(nil, verb, "x")
		require.Equal(t, 1, status)
		require.Contains(t, said, "takes 0 arguments, and got 1")
	}
}

// TestKinds takes orders that each kind of key signs, and that of a token only where a person touched it.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ed25519", "ecdsa 256", "ecdsa 384", "ecdsa 521", "rsa 2048", "rsa 3072", "token", "token without a touch"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := b.sound()
			line := ""
			if strings.HasPrefix(kind, "token") {
				k := sshsigtest.NewToken(bytes.Repeat([]byte{7}, 32))
				line = k.Line()
				var flags byte
				if kind == "token" {
					flags = 1
				}
				p.signed = func(e *order.Envelope) { e.Signature = k.Sign(sshsig.RoleDevice, e.Statement, flags) }
			} else {
				p.signKey = filepath.Join(b.dir, "of-a-kind")
				args := []string{"-q", "-N", "", "-f", p.signKey, "-t"}
				args = append(args, strings.Fields(strings.Replace(kind, " ", " -b ", 1))...)
				out, err := exec.Command("ssh-keygen", args...).CombinedOutput()
				require.NoError(t, err, string(out))
				public, err := os.ReadFile(p.signKey + ".pub")
				require.NoError(t, err)
				line = string(public)
			}
			require.NoError(t, os.WriteFile(b.signers, []byte(`alice@bank namespaces="rocec-device" `+line+"\n"), 0o600))
			status, said := b.call(p.bytes(t), "prepare")
			if kind == "token without a touch" {
				require.Equal(t, 1, status)
				require.Contains(t, said, "no person touched the token")
				require.Empty(t, b.ran)
				return
			}
			require.Zero(t, status, said)
			require.Len(t, b.ran, 2)
		})
	}
}

// TestFIPS runs the tests of orders again in a process that may use no algorithm that FIPS 140-3 does not approve.
func TestFIPS(t *testing.T) {
	t.Parallel()
	if os.Getenv("ROCEC_TEST_FIPS") != "" {
		require.True(t, fips140.Enforced())
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^Test(FIPS|Kinds|Prepare|Refused|Accepted|Replay|KeptScript|Remove|Hello)$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only", "ROCEC_TEST_FIPS=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, test := range []string{"FIPS", "Kinds", "Prepare", "Refused", "Accepted", "Replay", "KeptScript", "Remove", "Hello"} {
		require.Contains(t, string(out), "--- PASS: Test"+test+" ")
	}
}
