package statement

import (
	"errors"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/sshsig"
)

// Signed is a statement as it travels: its text, the signature, and the body whose SHA-256 the statement has.
type Signed struct {
	Text      string `json:"text"`
	Signature string `json:"signature"` // armored, as ssh-keygen writes it
	Body      []byte `json:"body,omitempty"`
}

// SitePrincipal returns the principal of a site's key in a file of allowed signers.
func SitePrincipal(site string) string { return sshsig.SitePrefix + site }

// Skew is how far the clock of a person may differ from the one of a site. A statement of a person is good for this time.
const Skew = 5 * time.Minute

// Make signs a statement. sign makes the signature in a namespace.
func Make(s *Statement, body []byte, sign func(namespace string, message []byte) ([]byte, error)) (*Signed, error) {
	if body != nil {
		s.Digest = Sum(body)
	}
	text, err := s.Text()
	if err != nil {
		return nil, err
	}
	armored, err := sign(s.Verb.Role(), text)
	if err != nil {
		return nil, err
	}
	return &Signed{Text: string(text), Signature: string(armored), Body: body}, nil
}

// Open returns the statement and its author: a person, or the site that the statement names. It verifies the signature at a time, by which
// the signers may limit keys. It compares the body with the digest, if a body is there.
func (s *Signed) Open(signers *sshsig.Signers, at time.Time) (out *Statement, author string, err error) {
	return s.OpenBy(func(sig *sshsig.Signature) (string, error) { return signers.Find(sig, at) })
}

// OpenBy is [Signed.Open] for a receiver that judges by itself whose key made a signature, which is verified then.
func (s *Signed) OpenBy(find func(*sshsig.Signature) (author string, err error)) (out *Statement, author string, err error) {
	if out, err = Parse([]byte(s.Text)); err != nil {
		return nil, "", err
	}
	sig, err := sshsig.Parse([]byte(s.Signature))
	if err != nil {
		return nil, "", err
	}
	if err := sig.Verify([]byte(s.Text), out.Verb.Role()); err != nil {
		return nil, "", err
	}
	if s.Body != nil && Sum(s.Body) != out.Digest {
		return nil, "", errors.New("the body beside the statement has another SHA-256 than the statement says")
	}
	if author, err = find(sig); err != nil {
		return nil, "", err
	}
	if out.Verb.OfSite() != (author == SitePrincipal(out.Site)) {
		return nil, "", fmt.Errorf("%s signed it, and it is a statement %q of the site %q", author, out.Verb, out.Site)
	}
	return out, author, nil
}

// Want has the values that a receiver expects of a statement. Empty fields may have any value.
type Want struct {
	Fabric, Run, Digest, Site string
	Now                       time.Time // of a statement of a person, which is good for five minutes; zero: of any time
}

// Fits returns why a statement is not the one that the receiver expects. A statement for all sites fits each site.
func (s *Statement) Fits(w Want) error {
	for _, one := range []struct{ what, is, want string }{
		{"fabric", s.Fabric, w.Fabric}, {"run", s.Run, w.Run}, {"plan", s.Digest, w.Digest},
	} {
		if one.want != "" && one.is != one.want {
			return fmt.Errorf("the statement is about the %s %q, not %q", one.what, cut(one.is), one.want)
		}
	}
	if w.Site != "" && s.Site != w.Site && (s.Site != "" || s.Verb.OfSite()) {
		return fmt.Errorf("the statement is for the site %q, not %q", s.Site, w.Site)
	}
	if !w.Now.IsZero() {
		if off := w.Now.Sub(s.At); off > Skew || off < -Skew {
			return fmt.Errorf("the statement is of %s, and the clock here shows %s: a statement is good for 5 minutes",
				s.At.Format(time.RFC3339), w.Now.UTC().Format(time.RFC3339))
		}
	}
	return nil
}
