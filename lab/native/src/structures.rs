//! Twitter and CITM catalog, with the structures of the fourth seed.
//!
//! Separate because all writers share them. From one list of members, `record!` generates the
//! structure, its serde derives, and the code of a derive macro over snooze-core, so that all
//! writers have the same members, names and order. Of a tweet's many members only a few are
//! declared; reading skips the others. Members are in alphabetical order where the document has
//! them so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use snooze_core::arch::Vector;
use snooze_core::out::NoMemory;

use crate::ours::{Json, Window};

macro_rules! record {
    ($(#[$about:meta])* $record:ident {
        $first:ident: $first_type:ty = $first_name:literal,
        $($member:ident: $type:ty = $name:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Deserialize, Serialize)]
        pub struct $record {
            #[allow(missing_docs)]
            #[serde(rename = $first_name)]
            pub $first: $first_type,
            $(
                #[allow(missing_docs)]
                #[serde(rename = $name)]
                pub $member: $type,
            )*
        }

        impl Json for $record {
            #[inline(always)]
            fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
                out.raw(concat!("{\"", $first_name, "\":").as_bytes())?;
                self.$first.write::<V>(out)?;
                $(
                    out.raw(concat!("\"", $name, "\":").as_bytes())?;
                    self.$member.write::<V>(out)?;
                )*
                out.close(b'}', b',')
            }
        }
    };
}

record! {
    /// The author of a tweet.
    User {
        id: u64 = "id",
        name: String = "name",
        screen_name: String = "screen_name",
        location: String = "location",
        description: String = "description",
        verified: bool = "verified",
        followers_count: u64 = "followers_count",
        friends_count: u64 = "friends_count",
        statuses_count: u64 = "statuses_count",
    }
}

record! {
    /// A tweet.
    Status {
        created_at: String = "created_at",
        id: u64 = "id",
        text: String = "text",
        user: User = "user",
        retweet_count: u64 = "retweet_count",
        favorite_count: u64 = "favorite_count",
    }
}

record! {
    /// The response to a search.
    TwitterData {
        statuses: Vec<Status> = "statuses",
    }
}

record! {
    /// The price of a seat, in hundredths.
    Price {
        amount: u64 = "amount",
        audience_sub_category_id: u64 = "audienceSubCategoryId",
        seat_category_id: u64 = "seatCategoryId",
    }
}

record! {
    /// A part of a hall.
    Area {
        area_id: u64 = "areaId",
        block_ids: Vec<u64> = "blockIds",
    }
}

record! {
    /// The seats of one category.
    SeatCategory {
        areas: Vec<Area> = "areas",
        seat_category_id: u64 = "seatCategoryId",
    }
}

record! {
    /// A performance of an event.
    Performance {
        event_id: u64 = "eventId",
        id: u64 = "id",
        logo: Option<String> = "logo",
        name: Option<String> = "name",
        prices: Vec<Price> = "prices",
        seat_categories: Vec<SeatCategory> = "seatCategories",
        seat_map_image: Option<String> = "seatMapImage",
        start: u64 = "start",
        venue_code: String = "venueCode",
    }
}

record! {
    /// An event.
    Event {
        description: Option<String> = "description",
        id: u64 = "id",
        logo: Option<String> = "logo",
        name: String = "name",
        sub_topic_ids: Vec<u64> = "subTopicIds",
        subject_code: Option<String> = "subjectCode",
        subtitle: Option<String> = "subtitle",
        topic_ids: Vec<u64> = "topicIds",
    }
}

record! {
    /// The two large parts of the catalog.
    CitmCatalog {
        events: BTreeMap<String, Event> = "events",
        performances: Vec<Performance> = "performances",
    }
}
