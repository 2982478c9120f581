package sshsig

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// PublicKey is the public half of a key, or a certificate of one.
type PublicKey struct {
	kind string // such as ssh-ed25519, without the suffix of a certificate
	blob []byte // of the key, or of the whole certificate

	public      crypto.PublicKey // ed25519.PublicKey, *ecdsa.PublicKey or *rsa.PublicKey
	application string           // of a key in a token
	fields      []byte           // of the public half, in the form of the wire
	cert        *certificate     // nil: it is a plain key
}

// certificate is what an authority states about a key (PROTOCOL.certkeys of OpenSSH).
type certificate struct {
	principals    []string
	after, before uint64 // seconds since 1970
	verified      bool   // a token asks for its PIN, too
	authority     *PublicKey
}

// certSuffix ends the type of a certificate.
const certSuffix = "-cert-v01@openssh.com"

// String returns the fingerprint of the key, as ssh-keygen -l prints it.
func (k *PublicKey) String() string {
	sum := sha256.Sum256(k.blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// Subject identifies the key itself: a certificate of the key has the same subject.
func (k *PublicKey) Subject() string {
	return k.kind + " " + base64.StdEncoding.EncodeToString(k.fields)
}

func (k *PublicKey) equal(o *PublicKey) bool { return bytes.Equal(k.blob, o.blob) }

// parsePlain reads a key that is no certificate.
func parsePlain(blob []byte) (*PublicKey, error) {
	in := wire{rest: blob}
	if strings.HasSuffix(string(in.text()), certSuffix) {
		return nil, errors.New("it is a certificate, and no plain key")
	}
	return parseKey(blob)
}

func parseKey(blob []byte) (*PublicKey, error) {
	in := wire{rest: blob}
	kind, certified := strings.CutSuffix(string(in.text()), certSuffix)
	k := &PublicKey{kind: kind, blob: blob}
	if certified {
		in.text() // nonce
		if strings.HasPrefix(kind, "sk-") {
			k.kind += "@openssh.com"
		}
	}
	before := in.rest
	if err := k.parsePublic(&in); err != nil {
		return nil, err
	}
	k.fields = before[:len(before)-len(in.rest)]
	if certified {
		if err := k.parseCertificate(&in); err != nil {
			return nil, err
		}
	}
	if !in.done() {
		return nil, fmt.Errorf("the key of type %q is damaged", kind)
	}
	return k, nil
}

// parsePublic reads the parts of a key after its type.
func (k *PublicKey) parsePublic(in *wire) error {
	bare := strings.TrimSuffix(strings.TrimPrefix(k.kind, "sk-"), "@openssh.com")
	switch {
	case bare == "ssh-ed25519":
		public := in.text()
		in.bad = in.bad || len(public) != ed25519.PublicKeySize
		k.public = ed25519.PublicKey(public)
	case strings.HasPrefix(bare, "ecdsa-sha2-"):
		name := string(in.text())
		curve := curveOf(name)
		if curve == nil || "ecdsa-sha2-"+name != bare {
			return fmt.Errorf("the key type %q is unknown", k.kind)
		}
		public, err := ecdsa.ParseUncompressedPublicKey(curve, in.text())
		if err != nil {
			return errors.New("the ECDSA key is no point of its curve")
		}
		k.public = public
	case k.kind == "ssh-rsa":
		e, n := in.positive(), in.positive()
		if in.bad || !e.IsInt64() || e.Int64() > 1<<31-1 || n.BitLen() < 2048 {
			return errors.New("the RSA key has fewer than 2048 bits, or is damaged")
		}
		k.public = &rsa.PublicKey{N: n, E: int(e.Int64())}
	default:
		return fmt.Errorf("the key type %q is unknown", k.kind)
	}
	if strings.HasPrefix(k.kind, "sk-") {
		k.application = string(in.text())
	}
	return nil
}

// curveOf returns the curve of a name (RFC 5656, section 10.1); nil: it is unknown.
func curveOf(name string) elliptic.Curve {
	switch name {
	case "nistp256":
		return elliptic.P256()
	case "nistp384":
		return elliptic.P384()
	case "nistp521":
		return elliptic.P521()
	}
	return nil
}

// parseCertificate reads the parts of a certificate after its key, and verifies the signature of the authority.
func (k *PublicKey) parseCertificate(in *wire) error {
	c := &certificate{}
	in.long() // serial number
	kind := in.number()
	in.text() // key id
	c.principals = in.texts()
	c.after, c.before = in.long(), in.long()
	options := in.texts() // name and value by turns
	in.texts()            // extensions permit logins
	in.text()             // reserved
	authority := in.text()
	signed := k.blob[:len(k.blob)-len(in.rest)]
	signature := in.text()
	if in.bad || kind != 1 {
		return errors.New("the certificate is damaged, or is not one of a user")
	}
	for i := 0; i < len(options); i += 2 {
		switch options[i] {
		case "force-command", "source-address": // limit logins
		case "verify-required":
			c.verified = true
		default:
			return fmt.Errorf("the certificate has the critical option %q, which is unknown", options[i])
		}
	}
	var err error
	if c.authority, err = parsePlain(authority); err != nil {
		return fmt.Errorf("the authority of the certificate: %w", err)
	}
	if err := c.authority.verify(signed, signature); err != nil {
		return fmt.Errorf("the authority did not sign the certificate: %w", err)
	}
	k.cert = c
	return nil
}

// valid reports whether a certificate is valid at a time.
func (c *certificate) valid(at time.Time) bool {
	now := uint64(max(at.Unix(), 0))
	return c.after <= now && now < c.before
}

// The flags of a token: a person touched it, and gave its PIN or a fingerprint.
const (
	touched  = 1
	verified = 4
)

var errSignature = errors.New("the signature does not fit")

// verify returns an error unless the key signed the data. signature has the encoding of RFC 4253, section 6.6.
func (k *PublicKey) verify(data, signature []byte) error {
	in := wire{rest: signature}
	format, sig := string(in.text()), in.text()
	if strings.HasPrefix(k.kind, "sk-") {
		flags, counter := in.flag(), in.number()
		switch {
		case flags&touched == 0:
			return errors.New("no person touched the token for the signature")
		case k.cert != nil && k.cert.verified && flags&verified == 0:
			return errors.New("no person gave the PIN of the token for the signature")
		}
		application, message := sha256.Sum256([]byte(k.application)), sha256.Sum256(data)
		data = append(application[:], flags)
		data = append(binary.BigEndian.AppendUint32(data, counter), message[:]...)
	}
	if !in.done() {
		return errSignature
	}
	ok := false
	switch public := k.public.(type) {
	case ed25519.PublicKey:
		ok = format == k.kind && ed25519.Verify(public, data, sig)
	case *ecdsa.PublicKey:
		parts := wire{rest: sig}
		r, s := parts.positive(), parts.positive()
		ok = format == k.kind && parts.done() && ecdsa.Verify(public, digest(public.Curve.Params().BitSize, data), r, s)
	case *rsa.PublicKey:
		switch format {
		case "rsa-sha2-256":
			h := sha256.Sum256(data)
			ok = rsa.VerifyPKCS1v15(public, crypto.SHA256, h[:], padded(sig, public.N)) == nil
		case "rsa-sha2-512":
			h := sha512.Sum512(data)
			ok = rsa.VerifyPKCS1v15(public, crypto.SHA512, h[:], padded(sig, public.N)) == nil
		}
	}
	if !ok {
		return errSignature
	}
	return nil
}

// padded returns an RSA signature in as many bytes as the modulus has: an agent may leave out zeros in front.
func padded(sig []byte, modulus *big.Int) []byte {
	if missing := (modulus.BitLen()+7)/8 - len(sig); missing > 0 {
		return append(make([]byte, missing), sig...)
	}
	return sig
}

// digest returns the hash that ECDSA signs over a curve of some bits (RFC 5656, section 6.2.1).
func digest(bits int, data []byte) []byte {
	switch {
	case bits <= 256:
		h := sha256.Sum256(data)
		return h[:]
	case bits <= 384:
		h := sha512.Sum384(data)
		return h[:]
	}
	h := sha512.Sum512(data)
	return h[:]
}
