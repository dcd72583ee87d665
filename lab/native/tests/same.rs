//! All writers of the crate write the same bytes, with the members of the document.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use snooze_native::ours::Json;
use snooze_native::stopwatch::Sink;
use snooze_native::structures::{CitmCatalog, TwitterData};
use snooze_native::writers::{Buffer, Writer};

const TWITTER: &str = r#"{"statuses":[{"created_at":"Sun Aug 31","id":505874924095815681,
    "text":"@aym0566x \n\n名前:\"前田\"\\ \u0007\u001f\u007f/ 😀","user":{"id":18446744073709551615,
    "name":"","screen_name":"a","location":"Città","description":"\b\f\r\t","verified":true,
    "followers_count":0,"friends_count":999,"statuses_count":1000},"retweet_count":12345678,
    "favorite_count":123456789}]}"#;

const CITM: &str = r#"{"events":{"138586341":{"description":null,"id":138586341,"logo":"/images/x.gif",
    "name":"30th Anniversary Tour","subTopicIds":[337184269,337184283],"subjectCode":null,
    "subtitle":null,"topicIds":[]}},"performances":[{"eventId":138586341,"id":339887544,"logo":null,
    "name":null,"prices":[{"amount":90250,"audienceSubCategoryId":337100890,"seatCategoryId":1}],
    "seatCategories":[{"areas":[{"areaId":205705999,"blockIds":[]},{"areaId":2,"blockIds":[7]}],
    "seatCategoryId":338937295}],"seatMapImage":null,"start":1372701600000,"venueCode":"PLEYEL"}]}"#;

fn check<T: DeserializeOwned + Json + Serialize>(document: &str) {
    let value: T = serde_json::from_str(document).unwrap();
    let wanted: Value = serde_json::from_str(document).unwrap();
    let reference = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&reference).unwrap(), wanted);
    for writer in Writer::ALL {
        for buffer in Buffer::ALL {
            let mut sink = Sink { text: Some(Vec::new()), ..Sink::default() };
            let mut call = writer.call(buffer, &value);
            for _ in 0..2 {
                call(&mut sink);
                let text = String::from_utf8(sink.text.clone().unwrap()).unwrap();
                assert_eq!(text, reference, "{} {}", writer.name(), buffer.name());
                assert_eq!(sink.bytes, reference.len());
            }
        }
    }
}

#[test]
fn twitter() {
    check::<TwitterData>(TWITTER);
    check::<TwitterData>(r#"{"statuses":[]}"#);
}

#[test]
fn citm() {
    check::<CitmCatalog>(CITM);
    check::<CitmCatalog>(r#"{"events":{},"performances":[]}"#);
}

#[test]
fn undeclared_members_are_skipped() {
    let more = TWITTER.replacen("\"id\"", "\"id_str\":[{}],\"id\"", 1);
    let value: TwitterData = serde_json::from_str(&more).unwrap();
    let wanted: Value = serde_json::from_str(TWITTER).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), wanted);
}

#[test]
fn every_version_is_known() {
    for writer in Writer::ALL {
        assert!(writer.version().starts_with(|first: char| first.is_ascii_digit()));
    }
}
