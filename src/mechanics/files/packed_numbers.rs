//! Arrays of numbers as text: base64 of their bytes, little-endian.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut word = 0u32;
        for k in 0..3 {
            word = word << 8 | u32::from(group.get(k).copied().unwrap_or_default());
        }
        for k in 0..4 {
            if k <= group.len() {
                text.push(char::from(DIGITS[(word >> (18 - 6 * k) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Numbers of full precision.
pub fn pack_f64(numbers: impl IntoIterator<Item = f64>) -> String {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    base64(&bytes)
}

/// Numbers rounded to single precision, seven decimal digits.
pub fn pack_f32(numbers: impl IntoIterator<Item = f64>) -> String {
    let bytes: Vec<u8> = numbers
        .into_iter()
        .flat_map(|x| (x as f32).to_le_bytes())
        .collect();
    base64(&bytes)
}

/// Numbers of 16 bits.
pub fn pack_u16(numbers: impl IntoIterator<Item = u16>) -> String {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u16::to_le_bytes).collect();
    base64(&bytes)
}

/// Numbers of 32 bits.
pub fn pack_u32(numbers: impl IntoIterator<Item = u32>) -> String {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    base64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::{base64, pack_f64};

    #[test]
    fn base64_of_the_standard() {
        // RFC 4648, section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        // One is 0x3ff0000000000000.
        assert_eq!(pack_f64([1.0]), "AAAAAAAA8D8=");
    }
}
