package ssh

import (
	"crypto/fips140"
	"crypto/rsa"
	"fmt"
	"slices"

	"golang.org/x/crypto/ssh"
)

// fipsAlgorithms contains the algorithms that FIPS 140-3 approves: NIST curves, AES, SHA-2 and Ed25519 (FIPS 186-5). It excludes key
// exchanges with X25519 or over finite fields, ChaCha20 and SHA-1.
var fipsAlgorithms = ssh.Algorithms{
	KeyExchanges: []string{ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeECDHP521},
	Ciphers:      []string{ssh.CipherAES128GCM, ssh.CipherAES256GCM, ssh.CipherAES128CTR, ssh.CipherAES192CTR, ssh.CipherAES256CTR},
	MACs:         []string{ssh.HMACSHA256ETM, ssh.HMACSHA512ETM, ssh.HMACSHA256, ssh.HMACSHA512},
	HostKeys: []string{
		ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01, ssh.CertAlgoECDSA521v01, ssh.CertAlgoRSASHA256v01, ssh.CertAlgoRSASHA512v01,
		ssh.CertAlgoED25519v01, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512,
		ssh.KeyAlgoED25519,
	},
}

// offered returns the algorithms to offer to a server: the algorithms that x/crypto lists as supported, without hmac-sha1. The defaults
// of x/crypto include weak algorithms. In FIPS mode, offered returns the algorithms that FIPS 140-3 approves.
func offered() ssh.Algorithms {
	good := ssh.SupportedAlgorithms()
	if !fips140.Enabled() {
		good.MACs = slices.DeleteFunc(good.MACs, func(mac string) bool { return mac == ssh.HMACSHA1 })
		return good
	}
	good = fipsAlgorithms
	if fips140.Enforced() {
		// Go's FIPS module treats SSH's GCM counters as nonces that the caller chooses, and refuses them.
		good.Ciphers = slices.DeleteFunc(slices.Clone(good.Ciphers), func(c string) bool {
			return c == ssh.CipherAES128GCM || c == ssh.CipherAES256GCM
		})
	}
	return good
}

// offeredAre describes the offered algorithms, for the middle of a sentence.
func offeredAre() string {
	if fips140.Enabled() {
		return "FIPS 140 allows"
	}
	return "is safe"
}

// leastRSA is the smallest accepted size of an RSA key in bits, for keys of hosts and of users.
const leastRSA = 2048

// inner returns the key inside a certificate, or the key itself, as a type of x/crypto. Keys of the agent have another type.
func inner(k ssh.PublicKey) ssh.PublicKey {
	if read, err := ssh.ParsePublicKey(k.Marshal()); err == nil {
		k = read
	}
	return plain(k)
}

// short returns a text if a key, or the authority that signed it, is an RSA key that is too short to be safe; empty: neither is.
func short(k ssh.PublicKey) string {
	if read, err := ssh.ParsePublicKey(k.Marshal()); err == nil {
		k = read
	}
	if cert, ok := k.(*ssh.Certificate); ok {
		if why := short(cert.Key); why != "" {
			return why
		}
		if why := short(cert.SignatureKey); why != "" {
			return "signed by " + why
		}
		return ""
	}
	held, ok := k.(ssh.CryptoPublicKey)
	if !ok {
		return ""
	}
	public, ok := held.CryptoPublicKey().(*rsa.PublicKey)
	if !ok || public.N.BitLen() >= leastRSA {
		return ""
	}
	return fmt.Sprintf("an RSA key of %d bits, and rocec accepts RSA keys of %d bits or more", public.N.BitLen(), leastRSA)
}

// signatures returns the algorithms by which a key signs a login, without SHA-1.
func signatures(k ssh.PublicKey) []string {
	if kind := inner(k).Type(); kind != ssh.KeyAlgoRSA {
		return []string{kind}
	}
	return []string{ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512}
}
