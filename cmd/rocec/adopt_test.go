package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// oneRack is a rack with a switch and two hosts.
var oneRack = strings.NewReplacer("store[1-3]", "store[1-2]", "swp[1-3]", "swp[1-2]").Replace(judgetest.Rack(`version = "4.3.0"`))

// root runs a command on a device of the lab.
func (o *office) root(t *testing.T, device, cmd string) string {
	t.Helper()
	var out string
	o.inside(t, func(_ *target.Tree, l *lab.Lab) {
		text, said, status := l.Device(device).Run(t.Context(), "root", cmd, "")
		require.Zero(t, status, "%s: %s", cmd, said)
		out = string(text)
	})
	return out
}

// TestAdoptNowhere: a run that is neither in the journal nor on devices is an error. The message states where rocec looked for it.
func TestAdoptNowhere(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	for _, verb := range []string{"confirm", "resume", "rollback"} {
		out := o.want(t, exit.Usage, verb, "20260101t000000z-abcd")
		require.Contains(t, out, "this user started no run of that name on this machine (the journals are in "+o.homes)
		require.Contains(t, out, "3 devices of the fabric in "+o.dir+" that could be asked have no trace of it")
		require.Contains(t, o.want(t, exit.Usage, verb, "nothing"), "is looked for on devices by its name")
		code, _, stderr := rocec(t, verb, "-C", t.TempDir(), "20260101t000000z-abcd")
		require.Equal(t, exit.Usage, code)
		require.Contains(t, stderr, "name the fabric, so that its devices can be asked")
	}
	require.NoDirExists(t, filepath.Join(o.homes, "alice", "state", "rocec", "runs"), "rocec adopted no run")

	// With --lab, rocec looks only in that lab, and not for a run from elsewhere.
	run := o.holds(t)
	code, _, stderr := rocec(t, "confirm", "--lab="+t.TempDir(), run)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "was a rehearsal in the lab "+o.lab)
}

// TestAdoptAnotherFabric: resume refuses a fabric that wants other settings; rollback still works from it.
func TestAdoptAnotherFabric(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for name, c := range map[string]struct{ old, now, why string }{
		"intent":    {"ecn {}", "ecn {\n    min = 150000\n    max = 1500000\n  }", "this fabric wants other settings on it"},
		"no device": {`names = "store[1-2]"`, `names = "disk[1-2]"`, "store[1-2] (this fabric has no such device)"},
		"the same":  {"cos_group \"cnp\"", "# the same\ncos_group \"cnp\"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, oneRack)
			o.want(t, exit.Good, "plan")
			factory := o.content(t)
			run := o.holds(t)
			o.sits(t, "bob")
			o.write(t, strings.NewReplacer(c.old, c.now, `"store[1-2]:ens1f0"`,
				map[bool]string{true: `"disk[1-2]:ens1f0"`, false: `"store[1-2]:ens1f0"`}[name == "no device"]).Replace(oneRack))
			out := o.want(t, exit.Usage, "resume", run)
			if c.why == "" {
				require.Contains(t, out, "waits to be confirmed. Keep it: rocec confirm "+run)
			} else {
				require.Contains(t, out, "Run "+run+" cannot be resumed here")
				require.Contains(t, out, c.why)
				require.Contains(t, out, "Go back: rocec rollback "+run)
			}
			if name == "no device" {
				require.Contains(t, o.want(t, exit.Incomplete, "confirm", run), "whether 2 devices hold it (store[1-2])")
				require.Contains(t, o.want(t, exit.Machines, "rollback", "--auto-approve", run), "2 devices cannot be rolled back")
				o.write(t, oneRack)
			}
			require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", run), "3 devices restored")
			o.write(t, oneRack)
			o.same(t, factory, "a run of another fabric")
		})
	}
}

// TestAdoptInPart: if a device cannot be asked, only devices that the person names are confirmed. rocec adopts the others when they
// answer.
func TestAdoptInPart(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	run := o.holds(t)
	o.root(t, "store2", "echo 'change file 7 0' >/var/lib/rocec/txn-"+run+"/about")
	o.sits(t, "bob")
	out := o.want(t, exit.Incomplete, "confirm", run)
	require.Contains(t, out, "It is unknown whether these devices have run "+run+": store2 (the device's data of the run is not in the form")
	require.Contains(t, out, "Nothing was confirmed: it is unknown whether 1 device holds it (store2)")
	require.Contains(t, out, "confirm "+run+" --target store1 --target tor")
	require.Contains(t, o.want(t, exit.Machines, "rollback", "--auto-approve", run), "1 device cannot be rolled back")
	code, stdout, _ := rocec(t, "runs", run)
	require.Equal(t, exit.Good, code)
	require.Contains(t, stdout, "here     adopted from its devices by ")
	o.root(t, "store2", "cp /var/lib/rocec/backup/"+run+"/about /var/lib/rocec/txn-"+run+"/about")
	require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied")

	// Devices on which the run has not begun have no part of it.
	o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
	run = o.dies(t, "store1", txn.Prepare)
	o.sits(t, "carol")
	out = o.want(t, exit.Good, "resume", run)
	require.Contains(t, out, "tor  applied\n  Confirmed by alice@ws1, process 4711, at ")
	require.Contains(t, out, "2 devices. Plan again for those: rocec plan "+o.dir)
}

// TestAdoptOlder: devices of an earlier rocec do not record who began the run or which live states it changes. The verbs do what is
// possible with that, and name the rest.
func TestAdoptOlder(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	o := newOffice(t, oneRack)
	o.want(t, exit.Good, "plan")
	factory := o.content(t)
	older := func(run string) {
		for _, d := range []string{"tor", "store1", "store2"} {
			o.root(t, d, "cd /var/lib/rocec && rm -f txn-"+run+"/about backup/"+run+"/about backup/"+run+"/lives backup/"+run+"/live.*")
		}
		o.sits(t, "bob")
		o.forgets(t)
	}
	run := o.holds(t)
	older(run)
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", run), "3 devices restored")
	o.same(t, factory, "a run that was held")
	run = o.holds(t)
	older(run)
	require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied")
	older(run)
	out := o.want(t, exit.Machines, "rollback", "--auto-approve", "--soak", "0s", run)
	require.Contains(t, out, "an earlier rocec made the run, and the device has not kept the live states from before it")
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", "--target", "tor", run), "1 applied")
}

// TestAdoptHostile: if a device's data of a run is not in the form that rocec writes, rocec refuses it with a message and runs nothing.
func TestAdoptHostile(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	const evil = "touch /tmp/evil"
	o := newOffice(t, oneRack)
	run := o.holds(t)
	o.root(t, "tor", "mkdir /root/kept && cd /var/lib/rocec && cp -pR txn-"+run+" lock /root/kept")
	o.sits(t, "bob")
	verbs, turn := [][]string{{"confirm"}, {"rollback", "--auto-approve"}, {"resume"}}, 0
	for name, c := range map[string]struct{ spoil, why string }{
		"a path outside":      {`printf '0 absent absent 644 /etc/../../tmp/x\n' >files`, "it names no path of rocec"},
		"a relative path":     {`printf '0 absent absent 644 etc/x\n' >files`, "it names no path of rocec"},
		"control characters":  {`printf '0 absent absent 644 /etc/\033[2Jx\n' >files`, "it names no path of rocec"},
		"no hash":             {`printf '0 ` + evil + ` absent 644 /etc/x\n' >files`, "is invalid"},
		"a hash that is none": {`printf '0 abc absent 644 /etc/x\n' >files`, "it has no hash for /etc/x"},
		"a mode":              {`printf '0 absent absent 99999 /etc/x\n' >files`, "is invalid"},
		"a huge list": {
			`x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h; do x=$x$x; done; echo "$x" >files`,
			"larger than 1 MiB",
		},
		"numbers that jump":       {`for i in 0 1 2 3 4 5 6 7 8 9; do echo "$i$i absent absent 644 /etc/x"; done >files`, "is invalid"},
		"a list that is a link":   {`rm files && ln -s /etc/passwd files`, "users other than root may have changed"},
		"about that is a link":    {`rm about && ln -s /etc/passwd about`, "users other than root may have changed"},
		"a state outside":         {`printf '0 ../../etc/passwd\n' >lives`, "the list of its live states is invalid"},
		"a change of no file":     {`printf 'change file 7 0\n' >about`, "the list of its changes is invalid"},
		"a state that is a path":  {`printf 'change live 0 absent absent /etc/passwd\n' >about`, "it names no path of rocec"},
		"a key that is a command": {`printf 'x;` + evil + `\n' >key`, "to two runs with the same name"},
		"the key of the lock, too": {
			`echo 'x;` + evil + `' >key; printf 'txn %s\nkey x;` + evil + `\n' "${PWD##*/txn-}" >../lock/owner`,
			"its key does not have the form of rocec's keys",
		},
		"another device": {`printf 'device tor9\n' >>about`, "the run calls this machine tor9"},
	} {
		t.Run(name, func(t *testing.T) {
			turn++
			o.forgets(t)
			o.root(t, "tor", "cd /var/lib/rocec/txn-"+run+" && { "+c.spoil+"\n}")
			for i, verb := range verbs {
				if i != turn%len(verbs) && !*whole {
					continue // all of them adopt a run by the same function
				}
				code, stdout, stderr := rocec(t, append(verb, "-C", o.dir, "--lab="+o.lab, run)...)
				require.NotEqual(t, exit.Good, code, "%s\n%s", stdout, stderr)
				require.Contains(t, stderr, "It is unknown whether these devices have run "+run+": tor (")
				require.Contains(t, stderr, c.why)
				require.NotContains(t, stdout+stderr, "\033[2J")
			}
			require.Contains(t, o.root(t, "tor", "ls /tmp; cd /var/lib/rocec/txn-"+run+" && ls"), "state.loaded", "nothing was done to it")
			require.NotContains(t, o.root(t, "tor", "ls /tmp"), "evil")
			o.root(t, "tor", "cd /var/lib/rocec && rm -rf txn-"+run+" lock && cp -pR /root/kept/. .")
		})
	}
	require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied", "the test has restored the spoilt data")
	for name, spoil := range map[string]string{ // an unknown word counts as a missing value
		"about": "printf 'owner " + `\033[31mred` + "\nhold 99999999999\nwave -1\n" +
			"commit $(" + evil + ")\nundoes ../x\ndevices 2 a[1-99999999]\n' >about",
		"note":  "printf 'a b\n' >note",
		"steps": "echo 99999999999 >step.00/time; mkdir step.zz step.99999",
	} {
		t.Run("words of "+name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, oneRack)
			run := o.holds(t)
			o.root(t, "tor", "cd /var/lib/rocec/txn-"+run+" && { "+spoil+"\n}")
			o.sits(t, "bob")
			out := o.want(t, exit.Good, "confirm", run)
			require.NotContains(t, out, "\033[31m")
			text, err := os.ReadFile(filepath.Join(o.homes, "bob", "state", "rocec", "runs", run+".jsonl"))
			require.NoError(t, err)
			require.NotContains(t, string(text), evil)
			require.NotContains(t, o.root(t, "tor", "ls /tmp"), "evil")
		})
	}
}
