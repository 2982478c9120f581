// Package rights has the [Rights] of a person: the policies of the site, its allowed signers, and the key with which the person signs.
package rights

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/auditlog"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Folder is the folder of a machine with the policy and the signers of the site.
const Folder = "/etc/rocec"

// The files of the folder.
const (
	policyFile  = "policy.hcl"
	signersFile = "allowed_signers"
)

// Rights has the policies of the site, and the key of the person.
type Rights struct {
	Policies []*policy.Policy // all of them hold
	Key      string           // file that ssh-keygen signs with; empty: the person has named no key
	Records  []Record         // that get the events of runs, each URL once

	folder string
	site   *policy.Policy // of the folder; nil: it has no policy
	person *person.Person
}

// Record is a central record of events.
type Record struct {
	URL    auditlog.URL
	Policy string // the one that asks for it: without the record no run begins; empty: --audit-log alone names it
}

// Named are the files about rights that a command names.
type Named struct {
	Folder   string       // with the policy of the site, such as [Folder]
	Policies []string     // of --policy: they hold, too
	Key      string       // of --sign-key
	AuditLog auditlog.URL // of --audit-log
	Flags    []string     // that a policy may forbid, with their dashes
}

// Read reads the policies. It refuses a file that other users than root and this one could have written, or taken out of the folder of the
// site, and prints the mistakes in a policy.
func Read(p *person.Person, o Named) (*Rights, error) {
	r := &Rights{Key: o.Key, folder: o.Folder, person: p}
	names := o.Policies
	site := filepath.Join(o.Folder, policyFile)
	if o.Folder != "" {
		if err := safefile.CheckFolder(o.Folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Fail(exit.Machines, "the policy of the site cannot be read: %v", err)
		}
		names = append([]string{site}, names...)
	}
	for _, name := range names {
		src, err := read(name)
		if name == site && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, exit.Fail(exit.Machines, "the policy cannot be read: %v", err)
		}
		one, ds := policy.Read(name, src, o.Flags)
		if one != nil && one.AuditLog != "" {
			url, err := auditlog.Parse(one.AuditLog)
			if err != nil {
				policy.Invalid.Errorf(&ds, one.Place("audit_log"), "%v.", err)
			}
			r.record(Record{url, name})
		}
		if ds.HasErrors() {
			r.print(ds, map[string][]byte{name: src})
			return nil, exit.Fail(exit.Errors, "the policy %s cannot be used, and nothing is done without it", diag.Escape(name))
		}
		r.Policies = append(r.Policies, one)
		if name == site {
			r.site = one
		}
	}
	if o.AuditLog.String() != "" {
		r.record(Record{URL: o.AuditLog})
	}
	return r, nil
}

// record adds a central record that is not there.
func (r *Rights) record(one Record) {
	if !slices.ContainsFunc(r.Records, func(have Record) bool { return have.URL.String() == one.URL.String() }) {
		r.Records = append(r.Records, one)
	}
}

// read reads a file that decides about rights.
func read(name string) ([]byte, error) {
	f, err := safefile.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, parse.MaxFile+1))
}

func (r *Rights) print(ds diag.List, files map[string][]byte) {
	printer := &diag.Printer{Files: files, Color: r.person.Paints(r.person.Stderr), Width: r.person.Width(r.person.Stderr), Most: 20}
	printer.Print(r.person.Stderr, ds) //nolint:errcheck // a closed terminal shows no error
}

// Findings returns what the policies forbid of a wish.
func (r *Rights) Findings(w *policy.Wish) (ds diag.List) {
	w.Signs = r.Key != ""
	for _, p := range r.Policies {
		ds = append(ds, p.Judge(w)...)
	}
	return ds
}

// Refuse prints what the policies forbid, and returns an error if there is anything. files are the texts of the fabric.
func (r *Rights) Refuse(ds diag.List, files map[string][]byte) error {
	if len(ds) == 0 {
		return nil
	}
	shown := map[string][]byte{}
	maps.Copy(shown, files)
	for _, p := range r.Policies {
		shown[p.Name] = p.Src
	}
	r.print(ds, shown)
	return exit.Fail(exit.Errors, "the policy of the site does not allow this. Nothing was changed.")
}

// Approvals returns how many persons have to approve a plan, where its fabric asks for some.
func (r *Rights) Approvals(fabric int) int {
	for _, p := range r.Policies {
		fabric = max(fabric, p.Approvals)
	}
	return fabric
}

// Signers reads the file of allowed signers.
func (r *Rights) Signers() (s *sshsig.Signers, name string, err error) {
	src, name, err := r.SignersText()
	if err != nil {
		return nil, name, err
	}
	if s, err = sshsig.ParseSigners(src); err != nil {
		return nil, name, fmt.Errorf("%s: %w", diag.Escape(name), err)
	}
	return s, name, nil
}

// SignersText returns the text of the file of allowed signers: the one that the policy of the site names, or that of the folder. If the
// site has neither, a policy of --policy may name it.
func (r *Rights) SignersText() (text []byte, name string, err error) {
	name = filepath.Join(r.folder, signersFile)
	_, none := os.Lstat(name)
	switch {
	case r.site != nil && r.site.Signers != "":
		name = r.site.Signers
	case errors.Is(none, fs.ErrNotExist):
		for _, p := range r.Policies {
			if p.Signers != "" {
				name = p.Signers
			}
		}
	}
	text, err = read(name)
	if err != nil {
		return nil, name, fmt.Errorf("the allowed signers cannot be read: %w", err)
	}
	return text, name, nil
}

// MustSign reports whether a policy wants each run to end with a signature.
func (r *Rights) MustSign() bool {
	return slices.ContainsFunc(r.Policies, func(p *policy.Policy) bool { return p.SignRuns })
}

// Sign signs a message in a namespace, with the key of the person.
func (r *Rights) Sign(ctx context.Context, namespace string, message []byte) ([]byte, error) {
	if r.Key == "" {
		return nil, errors.New("there is no key to sign with: name one with --sign-key, or in ROCEC_SIGN_KEY")
	}
	return sign(ctx, r.Key, namespace, message, r.person.Stderr)
}

// Verify returns the person who signed a message in a namespace, if the allowed signers have his key for it.
func Verify(signers *sshsig.Signers, armored []byte, namespace string, message []byte, at time.Time) (who string, err error) {
	sig, err := sshsig.Parse(armored)
	if err != nil {
		return "", err
	}
	if err := sig.Verify(message, namespace); err != nil {
		return "", err
	}
	return signers.Find(sig, at)
}
